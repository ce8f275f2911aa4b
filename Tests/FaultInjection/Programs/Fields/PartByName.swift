import Annals

/// A record with a field whose type has no shape.
struct PartByName: ShapedRecord {
  struct Part: Codable {
    var name: String
    var number: Double?
    var parts: [Part]
    var counts: [Int: Int]?
  }
  var before: Int
  var part: Part?
  var after: Int

  static func shape(in types: inout ShapeTypes) -> ValueShape {
    types.record(Self.self) { types in
      [
        FieldShape("before", \Self.before, in: &types), FieldShape("part", \Self.part, in: &types),
        FieldShape("after", \Self.after, in: &types),
      ]
    }
  }

  init(from reader: inout FieldReader) throws(CodingFailure) {
    try reader.begin(3)
    before = try reader.field()
    part = try reader.field()
    after = try reader.field()
    reader.leave()
  }

  func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.begin(3)
    try writer.field(before)
    try writer.field(part)
    try writer.field(after)
    writer.leave()
  }
}
