import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct StoredDepthTests {
  /// A sum of sums in `depth` arrays, whose innermost holds two cases without values.
  static func formula(_ depth: Int) -> Formula {
    depth == 0 ? .nothing : .sum(formula(depth - 1), .nothing)
  }

  static func folder(_ depth: Int) -> Folder {
    depth == 1 ? Folder("") : Folder("", [folder(depth - 1)])
  }

  @Test func `64 levels are written and read`() throws {
    let formula = Self.formula(64)
    let bytes = try written(formula)
    let back = try read(bytes, as: Formula.self)
    #expect(back == formula)
    try PayloadCheck.validate(bytes.span)
    // A folder and its list are two levels.
    let folder = Self.folder(32)
    let folderBytes = try written(folder)
    let folderBack = try read(folderBytes, as: Folder.self)
    #expect(folderBack == folder)
  }

  @Test func `65 levels are refused on writing`() {
    expectRefusal(of: Self.formula(65), .tooDeep)
    expectRefusal(of: Self.folder(33), .tooDeep)
  }

  @Test func `65 levels are refused on reading`() {
    let sums = String(repeating: "8302", count: 65)
    expect(sums + String(repeating: "00", count: 66), as: Formula.self, fails: .tooDeep, at: 128)
    expect(String(repeating: "826081", count: 33) + "826080", as: Folder.self, fails: .tooDeep, at: 96)
  }

  @Test(arguments: [100_000, 1_000_000])
  func `very deep bytes are refused without filling the stack`(levels: Int) {
    let bytes = [UInt8](repeating: 0x81, count: levels)
    #expect(throws: CodingFailure(.tooDeep, at: 65)) {
      _ = try read([0x82, 0x60] + [UInt8](repeating: 0x81, count: 63) + bytes, as: Opaque.self)
    }
  }

  @Test func `the levels of a part stored by name count`() throws {
    let within = Opaque(label: "", tree: .array(Array(repeating: .null, count: 2)))
    #expect(throws: Never.self) { _ = try written(within) }
    expectRefusal(of: Opaque(label: "", tree: Opaque.Tree(levels: 64)), .tooDeep)
    let deepest = Opaque(label: "", tree: Opaque.Tree(levels: 63))
    let bytes = try written(deepest)
    let back = try read(bytes, as: Opaque.self)
    #expect(back == deepest)
  }
}

/// A record with a field that is stored by name and may nest.
struct Opaque: StoredValue, Equatable {
  /// Arrays in arrays.
  indirect enum Tree: Codable, Equatable {
    case null
    case array([Tree])

    init(levels: Int) {
      self = levels == 0 ? .null : .array([Tree(levels: levels - 1)])
    }

    init(from decoder: any Decoder) throws {
      let single = try decoder.singleValueContainer()
      self = single.decodeNil() ? .null : .array(try single.decode([Tree].self))
    }

    func encode(to encoder: any Encoder) throws {
      var single = encoder.singleValueContainer()
      switch self {
      case .null: try single.encodeNil()
      case .array(let trees): try single.encode(trees)
      }
    }
  }
  var label: String
  var tree: Tree

  init(label: String, tree: Tree) {
    self.label = label
    self.tree = tree
  }

  static func shape(in types: inout ShapeTypes) -> ValueShape {
    types.record(Self.self) { types in
      [FieldShape("label", \Self.label, in: &types), FieldShape("tree", \Self.tree, in: &types)]
    }
  }

  init(from reader: inout FieldReader) throws(CodingFailure) {
    try reader.begin(2)
    label = try reader.field()
    tree = try reader.field()
    reader.leave()
  }

  func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.begin(2)
    try writer.field(label)
    try writer.field(tree)
    writer.leave()
  }
}
