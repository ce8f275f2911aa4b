import Annals

/// A record without fields.
struct Tick: StoredValue {
  static func shape(in types: inout ShapeTypes) -> ValueShape { types.record(Self.self) { _ in [] } }

  init(from reader: inout FieldReader) throws(CodingFailure) {
    try reader.begin(0)
    reader.leave()
  }

  func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.begin(0)
    writer.leave()
  }
}
