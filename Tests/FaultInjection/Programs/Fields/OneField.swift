import Annals

/// A record with one field.
struct OneField<Value: StoredValue>: ShapedRecord {
  var value: Value

  static func shape(in types: inout ShapeTypes) -> ValueShape {
    types.record(Self.self) { types in [FieldShape("value", \Self.value, in: &types)] }
  }

  init(from reader: inout FieldReader) throws(CodingFailure) {
    try reader.begin(1)
    value = try reader.field()
    reader.leave()
  }

  func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.begin(1)
    try writer.field(value)
    writer.leave()
  }
}
