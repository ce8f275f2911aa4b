import Annals

/// A struct that contains itself.
struct Folder: ShapedRecord {
  var name: String
  var folders: [Folder]

  static func shape(in types: inout ShapeTypes) -> ValueShape {
    types.record(Self.self) { types in
      [FieldShape("name", \Self.name, in: &types), FieldShape("folders", \Self.folders, in: &types)]
    }
  }

  init(from reader: inout FieldReader) throws(CodingFailure) {
    try reader.begin(2)
    name = try reader.field()
    folders = try reader.field()
    reader.leave()
  }

  func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.begin(2)
    try writer.field(name)
    try writer.field(folders)
    writer.leave()
  }
}
