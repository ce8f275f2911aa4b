import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A record with a field of every form.
struct Everything: ShapedRecord {
  var text: String
  var note: String?
  var flag: Bool
  var small: Int8
  var count: Int
  var size: UInt32
  var single: Float
  var double: Double
  var data: Data
  var bytes: [UInt8]
  var id: UUID
  var at: Date
  var link: URL
  var price: Decimal
  var numbers: [Int16]
  var tags: Set<String>
  var byName: [String: Double?]
  var byNumber: [UInt8: [String]]
  var formula: Formula
  var folder: Folder?

  static func shape(in types: inout ShapeTypes) -> ValueShape {
    types.record(Self.self) { types in
      [
        FieldShape("text", \Self.text, in: &types),
        FieldShape("note", \Self.note, in: &types),
        FieldShape("flag", \Self.flag, in: &types),
        FieldShape("small", \Self.small, in: &types),
        FieldShape("count", \Self.count, in: &types),
        FieldShape("size", \Self.size, in: &types),
        FieldShape("single", \Self.single, in: &types),
        FieldShape("double", \Self.double, in: &types),
        FieldShape("data", \Self.data, in: &types),
        FieldShape("bytes", \Self.bytes, in: &types),
        FieldShape("id", \Self.id, in: &types),
        FieldShape("at", \Self.at, in: &types),
        FieldShape("link", \Self.link, in: &types),
        FieldShape("price", \Self.price, in: &types),
        FieldShape("numbers", \Self.numbers, in: &types),
        FieldShape("tags", \Self.tags, in: &types),
        FieldShape("byName", \Self.byName, in: &types),
        FieldShape("byNumber", \Self.byNumber, in: &types),
        FieldShape("formula", \Self.formula, in: &types),
        FieldShape("folder", \Self.folder, in: &types),
      ]
    }
  }

  init(from reader: inout FieldReader) throws(CodingFailure) {
    try reader.begin(20)
    text = try reader.field()
    note = try reader.field()
    flag = try reader.field()
    small = try reader.field()
    count = try reader.field()
    size = try reader.field()
    single = try reader.field()
    double = try reader.field()
    data = try reader.field()
    bytes = try reader.field()
    id = try reader.field()
    at = try reader.field()
    link = try reader.field()
    price = try reader.field()
    numbers = try reader.field()
    tags = try reader.field()
    byName = try reader.field()
    byNumber = try reader.field()
    formula = try reader.field()
    folder = try reader.field()
    reader.leave()
  }

  func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.begin(20)
    try writer.field(text)
    try writer.field(note)
    try writer.field(flag)
    try writer.field(small)
    try writer.field(count)
    try writer.field(size)
    try writer.field(single)
    try writer.field(double)
    try writer.field(data)
    try writer.field(bytes)
    try writer.field(id)
    try writer.field(at)
    try writer.field(link)
    try writer.field(price)
    try writer.field(numbers)
    try writer.field(tags)
    try writer.field(byName)
    try writer.field(byNumber)
    try writer.field(formula)
    try writer.field(folder)
    writer.leave()
  }
}
