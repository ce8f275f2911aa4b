import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

/// The bytes of a field that holds any value, its limits, and its conversion from other types.
struct AnyValueTests {
  @Test func `every kind of value has its canonical bytes`() throws {
    try expect(AnyValue.null, is: "f6")
    try expect(false as AnyValue, is: "f4")
    try expect(1 as AnyValue, is: "01")
    try expect(-1 as AnyValue, is: "20")
    try expect(1.0 as AnyValue, is: "f93c00")
    try expect(1.1 as AnyValue, is: "fb3ff199999999999a")
    try expect(AnyValue.unsigned(.max), is: "1bffffffffffffffff")
    try expect(AnyValue.negative(.max), is: "3bffffffffffffffff")
    try expect("n/a" as AnyValue, is: "636e2f61")
    try expect(AnyValue.bytes([1, 255]), is: "4201ff")
    try expect([1, 2.5, "three", [.null, true]] as AnyValue, is: "8401f9410065746872656582f6f5")
    try expect(["b": 1, "a": ["c": []]] as AnyValue, is: "a26161a1616380616201")
    try expect([1, "a"] as [AnyValue], is: "82016161")
    try expect(["k": 1.5] as [String: AnyValue], is: "a1616bf93e00")
    try expect(Set([2, 1, "a"] as [AnyValue]), is: "8301026161")
    #expect(shape(of: AnyValue.self) == .any)
    #expect(shape(of: AnyValue?.self) == .optional(.any))
  }

  @Test func `values are equal if their bytes are`() {
    #expect((1 as AnyValue) != (1.0 as AnyValue))
    #expect(("\u{e9}" as AnyValue) != ("e\u{301}" as AnyValue))
    #expect((["a": 1, "b": 2] as AnyValue) == (["b": 2, "a": 1] as AnyValue))
    #expect((0.0 as AnyValue) != (-0.0 as AnyValue))
    #expect(AnyValue.double(.nan) == .double(.nan))
  }

  @Test func `numbers are read exactly or not at all`() {
    #expect((7 as AnyValue).number == 7 && (-7 as AnyValue).number == -7 && (2.5 as AnyValue).number == 2.5)
    #expect(AnyValue.unsigned(1 << 53 + 1).number == nil && AnyValue.unsigned(1 << 53).number == 0x1p53)
    #expect(AnyValue.negative(.max).number == -0x1p64 && AnyValue.negative(1 << 53).number == nil)
    #expect(("7" as AnyValue).number == nil)
  }

  @Test func `what a payload may not have is refused`() {
    expectRefusal(of: AnyValue.tagged(0, 1), .unsupported)
    expectRefusal(of: AnyValue.undefined, .unsupported)
    expectRefusal(of: AnyValue.map([.init(1, 2)]), .unsupported)
    expectRefusal(of: AnyValue.map([.init("a", 1), .init("a", 2)]), .duplicateKey)
    expectRefusal(of: AnyValue?.some(.null), .refused)
    expect("c001", as: AnyValue.self, fails: .unsupported)
    expect("a2616201616101", as: AnyValue.self, fails: .unsortedKeys, at: 4)
    expect("1801", as: AnyValue.self, fails: .notCanonical)
    expect("8201", as: AnyValue.self, fails: .truncated, at: 1)
  }

  @Test func `a value is written at most 64 deep, with the record around it, and read up to 132`() throws {
    func nested(_ depth: Int) -> AnyValue { (0..<depth).reduce(1) { value, _ in .array([value]) } }
    let deepest = try written([nested(63)] as [AnyValue])
    #expect(deepest.count == 65)
    #expect(try read(deepest, as: [AnyValue].self) == [nested(63)])
    expectRefusal(of: [nested(64)] as [AnyValue], .tooDeep)
    // A value that has become an AnyValue has its form by name, with more levels.
    let deeper = [UInt8](repeating: 0x81, count: 132) + [1]
    #expect(try read(deeper, as: [AnyValue].self) == [nested(131)])
    expect(hex([0x81] + deeper), as: [AnyValue].self, fails: .tooDeep, at: 132)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `a field of any type becomes any value, in its form by name, and is read back`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let inner = ValueShape.random(using: &generator, depth: 3, levels: 1)
      guard inner.hasAnyForm, inner != .any else { continue }
      let (old, new) = (
        RecordShape([.init("a", .text), .init("x", inner), .init("z", .bool)]),
        RecordShape([.init("a", .text), .init("x", .any), .init("z", .bool)])
      )
      guard old.problems().isEmpty else { continue }
      let (up, down) = (
        ShapeComparison(from: old, to: new), ShapeComparison(from: new, to: old, direction: .downgrade)
      )
      #expect(up.changes.map(\.kind) == [.widened] && up.problems.isEmpty, "\(old.text)")
      for _ in 0..<5 {
        let value = old.randomValue(using: &generator, depth: 3)
        var named: [UInt8] = []
        let bytes = try value.encodedPayload()
        try NamedForm(old).write(bytes.span, to: &named)
        let converted = try Compared.converted(up, value)
        // By name, an optional without a value is left out of its record.
        #expect(try converted.array?[1] == CBOR(payload: named)["x"] ?? .null, "seed \(seed): \(old.text)")
        #expect(converted.array?[0] == value.array?[0] && converted.array?[2] == value.array?[2])
        #expect(try Compared.converted(down, converted) == value, "seed \(seed): \(old.text)")
      }
    }
  }

  @Test func `any value becomes no other type without a rule`() throws {
    for type in ["int64", "text", "[any]", "(a: any)", "codable", "date"] {
      #expect(try Compared.both("(x: any)", "(x: \(type))").up.conversion == nil, "\(type)")
    }
    let optional = try Compared.both("(x: any)", "(x: any?)").up
    #expect(try Compared.converted(optional, [7]) == [7])
  }

  @Test func `an attachment and the output of a type's own code become any value by a rule only`() throws {
    #expect(try Compared.both("(x: codable)", "(x: any)").up.conversion == nil)
    let attachment = RecordShape([.init("x", .list(shape(of: Attachment.self)))])
    #expect(ShapeComparison(from: attachment, to: .init([.init("x", .any)])).conversion == nil)
  }

  @Test func `a value that does not fit the older type is refused by programs that have it`() throws {
    let down = try Compared.both("(x: int8)", "(x: any)").down
    #expect(try Compared.converted(down, [7]) == [7])
    #expect(try Compared.failure(down, [700]) == .outOfRange)
    #expect(try Compared.failure(down, ["7"]) == .wrongType)
  }
}
