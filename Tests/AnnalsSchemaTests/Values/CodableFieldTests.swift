import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

struct CodableFieldTests {
  struct Point: Codable, Hashable {
    var x: Int
    var y: Double
  }

  /// A type that writes null for a value that is not `nil`.
  enum Mark: Codable, Equatable {
    case none, some

    init(from decoder: any Decoder) throws {
      let single = try decoder.singleValueContainer()
      if single.decodeNil() {
        self = .none
      } else {
        _ = try single.decode(Bool.self)
        self = .some
      }
    }

    func encode(to encoder: any Encoder) throws {
      var single = encoder.singleValueContainer()
      if self == .none { try single.encodeNil() } else { try single.encode(true) }
    }
  }

  struct Holder<Part: Codable & Sendable & Equatable>: StoredValue, Equatable {
    var part: Part

    init(_ part: Part) {
      self.part = part
    }

    static func shape(in types: inout ShapeTypes) -> ValueShape {
      types.record(Self.self) { types in [FieldShape("part", \Self.part, in: &types)] }
    }

    init(from reader: inout FieldReader) throws(CodingFailure) {
      try reader.begin(1)
      part = try reader.field()
      reader.leave()
    }

    func encode(into writer: inout FieldWriter) throws(CodingFailure) {
      try writer.begin(1)
      try writer.field(part)
      writer.leave()
    }
  }

  @Test func `a field without a shape is stored by name`() throws {
    try expect(Holder(Point(x: 1, y: 0.5)), is: "81a26178016179f93800")
    try expect(Holder([Point(x: 1, y: 0.5)]), is: "8181a26178016179f93800")
    try expect(Holder(Point?.none), is: "81f6")
    try expect(Holder(Point?.some(Point(x: 0, y: 0))), is: "81a26178006179f90000")
    try expect(Holder(Mark.none), is: "81f6")
    try expect(Holder(Mark?.some(.some)), is: "81f5")
    #expect(shape(of: Holder<Point>.self) == .record([FieldShape("part", .codable)]))
  }

  @Test func `an optional whose value is written as null is refused instead of becoming nil`() {
    expectRefusal(of: Holder(Mark?.some(.none)), .refused)
    expectRefusal(of: Holder(Point??.some(nil)), .refused)
  }

  @Test func `an optional without a shape may be missing by name, as any other optional`() throws {
    let shape = RecordShape(of: Holder<Point?>.self)
    #expect(shape.text == "(part: codable?)")
    let names = NamedForm(shape)
    var stored: [UInt8] = []
    try names.read(hex("a0").span, to: &stored)
    #expect(stored == hex("81f6"))
    var named: [UInt8] = []
    try names.write(stored.span, to: &named)
    #expect(named == hex("a0"))
    let required = NamedForm(RecordShape(of: Holder<Point>.self))
    #expect(throws: CodingFailure(.missingKey, at: 0, path: ["part"])) {
      try required.read(hex("a0").span, to: &named)
    }
  }

  @Test func `its bytes are checked as those of a payload`() {
    expect("81a26179016178f93800", as: Holder<Point>.self, fails: .unsortedKeys, at: 5)
    expect("81a2617801617801", as: Holder<Point>.self, fails: .duplicateKey, at: 5)
    expect("81a2617818016179f93800", as: Holder<Point>.self, fails: .notCanonical, at: 4)
    expect("81a26178016179", as: Holder<Point>.self, fails: .truncated, at: 7)
    expect("81a26178016179fa3f000000", as: Holder<Point>.self, fails: .notCanonical, at: 7)
    expect("81c100", as: Holder<Point>.self, fails: .unsupported, at: 1)
  }

  @Test func `a failure inside is reported with its place and keys`() {
    let bytes = hex("81a261786161" + "6179f93800")
    #expect(throws: CodingFailure(.wrongType, at: 4, path: ["x"], detail: "Int wanted")) {
      _ = try read(bytes, as: Holder<Point>.self)
    }
    #expect(throws: CodingFailure(.missingKey, at: 1, path: ["x"])) {
      _ = try read(hex("81a0"), as: Holder<Point>.self)
    }
  }

  @Test func `an error of its own code is a refusal`() {
    struct Fussy: Codable, Equatable {
      struct Wrong: Error {}
      init() {}
      init(from decoder: any Decoder) throws { throw Wrong() }
      func encode(to encoder: any Encoder) throws { throw Wrong() }
    }
    expectRefusal(of: Holder(Fussy()), .refused)
    expect("8101", as: Holder<Fussy>.self, fails: .refused, at: 1)
  }
}
