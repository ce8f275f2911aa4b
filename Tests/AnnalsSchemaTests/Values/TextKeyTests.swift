import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

@Suite struct TextKeyTests {
  /// A type of its own that is stored as a text.
  struct UserID: StoredValue, Hashable {
    let raw: String

    static func shape(in types: inout ShapeTypes) -> ValueShape { String.shape(in: &types) }

    init(_ raw: String) { self.raw = raw }

    init(from reader: inout FieldReader) throws(CodingFailure) { raw = try reader.field() }

    func encode(into writer: inout FieldWriter) throws(CodingFailure) { try writer.field(raw) }
  }
  struct Scores: ShapedRecord, Equatable {
    var byUser: [UserID: Int]

    static var recordName: String { "Scores" }

    static func shape(in types: inout ShapeTypes) -> ValueShape {
      types.record(Self.self) { types in [FieldShape("byUser", \Self.byUser, in: &types)] }
    }

    init(_ byUser: [UserID: Int]) { self.byUser = byUser }

    init(from reader: inout FieldReader) throws(CodingFailure) {
      try reader.begin(1)
      byUser = try reader.field()
      reader.leave()
    }

    func encode(into writer: inout FieldWriter) throws(CodingFailure) {
      try writer.begin(1)
      try writer.field(byUser)
      writer.leave()
    }
  }

  @Test func `keys that are stored as texts make a map, regardless of their Swift type`() throws {
    let scores = Scores([UserID("b"): 2, UserID("a"): 1])
    var bytes: [UInt8] = []
    try scores.encode(into: &bytes)
    #expect(bytes == [0x81, 0xa2, 0x61, 0x61, 0x01, 0x61, 0x62, 0x02])
    #expect(try Scores.decode(payload: bytes.span) == scores)
    let names = NamedForm(RecordShape(of: Scores.self))
    var named: [UInt8] = []
    try names.write(bytes.span, to: &named)
    var back: [UInt8] = []
    try names.read(named.span, to: &back)
    #expect(back == bytes)
  }
}
