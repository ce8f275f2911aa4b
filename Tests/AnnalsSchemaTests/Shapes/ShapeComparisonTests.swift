import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

/// The rows of the table of changes that concern the shape of one record, both ways.
struct ShapeComparisonTests {
  @Test func `an added optional field is nil in stored events, and ignored by older programs`() throws {
    let (up, down) = try Compared.both("(a: text, b: int64)", "(a: text, n: text?, b: int64)")
    #expect(up.changes.map(\.kind) == [.addedOptional])
    #expect(up.changes[0].verdict == .lightweight)
    #expect(up.changes[0].backward == .null && up.changes[0].forward == .ignored)
    #expect(!up.changes[0].breaksForward)
    #expect(try Compared.converted(up, ["x", 1]) == ["x", .null, 1])
    #expect(try Compared.converted(down, ["x", "note", 1]) == ["x", 1])
  }

  @Test func `reordered fields are found by their names`() throws {
    let (up, down) = try Compared.both("(a: text, b: int64, c: bool)", "(c: bool, a: text, b: int64)")
    #expect(up.changes.map(\.kind) == [.reordered])
    #expect(try Compared.converted(up, ["x", 1, true]) == [true, "x", 1])
    #expect(try Compared.converted(down, [true, "x", 1]) == ["x", 1, true])
  }

  @Test func `an added field with a constant gets it in stored events`() throws {
    let (up, down) = try Compared.both(
      "(a: text)", "(a: text, unit: text)", [.constant(field: "unit", bytes: hex("626b67"))])
    #expect(up.changes.map(\.kind) == [.addedConstant])
    #expect(up.changes[0].backward == .constant && up.changes[0].forward == .ignored)
    #expect(up.constants == ["unit"])
    #expect(try Compared.converted(up, ["x"]) == ["x", "kg"])
    #expect(try Compared.converted(down, ["x", "lb"]) == ["x"])
  }

  @Test func `an added required field without a constant needs a rule, but not for older programs`() throws {
    let (up, down) = try Compared.both("(a: text)", "(a: text, b: int64)")
    #expect(up.changes.map(\.kind) == [.addedRequired])
    #expect(up.changes[0].verdict == .custom)
    #expect(up.changes[0].backward == .rule && up.changes[0].forward == .ignored)
    #expect(up.changes[0].description.contains("Default(\\.record, \\.b, …)"))
    #expect(up.conversion == nil)
    #expect(try Compared.converted(down, ["x", 1]) == ["x"])
  }

  @Test func `a removed optional field is passed over, and nil for older programs`() throws {
    let (up, down) = try Compared.both("(a: text, b: int64?, c: bool)", "(a: text, c: bool)")
    #expect(up.changes.map(\.kind) == [.removedOptional])
    #expect(up.changes[0].backward == .ignored && up.changes[0].forward == .null)
    #expect(try Compared.converted(up, ["x", 1, true]) == ["x", true])
    #expect(try Compared.converted(down, ["x", true]) == ["x", .null, true])
  }

  @Test func `a removed required field breaks older programs`() throws {
    let (up, down) = try Compared.both("(a: text, b: int64)", "(a: text)")
    #expect(up.changes.map(\.kind) == [.removedRequired])
    #expect(up.changes[0].verdict == .lightweight)
    #expect(up.changes[0].breaksForward)
    #expect(up.changes[0].forward == .downcast)
    #expect(try Compared.converted(up, ["x", 1]) == ["x"])
    #expect(down.conversion == nil)
    #expect(down.changes[0].verdict == .custom)
  }

  @Test func `a part of a plunged record that is new takes a constant`() throws {
    let (up, _) = try Compared.both(
      "(street: text)", "(address: (street: text, zip: text))",
      [.plunge("address"), .constant(field: "address.zip", bytes: hex("613f"))])
    #expect(up.problems == [])
    #expect(up.constants == ["address.zip"])
    #expect(try Compared.converted(up, ["x"]) == [["x", "?"]])
  }

  @Test func `a field that becomes optional is read as it is, until null is written`() throws {
    let (up, down) = try Compared.both("(a: text, b: int64)", "(a: text, b: int64?)")
    #expect(up.changes.map(\.kind) == [.becameOptional])
    #expect(up.changes[0].backward == .asIs && up.changes[0].forward == .untilNull)
    #expect(up.changes[0].breaksForward)
    #expect(up.conversion?.isSame == true)
    // The reader of the older type refuses null by itself.
    #expect(down.conversion?.isSame == true)
  }

  @Test func `a field that becomes required needs a rule, but not for older programs`() throws {
    let (up, down) = try Compared.both("(a: text?)", "(a: text)")
    #expect(up.changes.map(\.kind) == [.becameRequired])
    #expect(up.changes[0].verdict == .custom)
    #expect(up.changes[0].backward == .rule && up.changes[0].forward == .asIs)
    #expect(up.conversion == nil)
    #expect(down.conversion?.isSame == true)
  }

  @Test(
    arguments: [
      ("int8", "int16", 5, 5, 300, true), ("int16", "int64", -5, -5, 70_000, true),
      ("uint8", "uint64", 5, 5, 256, true),
      ("uint32", "int64", 5, 5, -1, true), ("int32", "double", 7, 7.0, 0.5, true),
      ("uint32", "double", 7, 7.0, -1.0, true),
      ("int16", "float", -7, -7.0, 70_000.0, true), ("float", "double", 0.5, 0.5, 0.1, true),
      ("text", "bytes", "x", .bytes([0x78]), .bytes([0xff]), true),
      ("bytes", "text", .bytes([0x78]), "x", .null, false),
      ("url", "text", "x:y", "x:y", .null, false),
    ] as [(String, String, CBOR, CBOR, CBOR, Bool)])
  func `a lossless widening is widened, and narrowed for older programs where the value fits`(
    old: String, new: String, value: CBOR, wide: CBOR, misfit: CBOR, canMisfit: Bool
  ) throws {
    let (up, down) = try Compared.both("(a: bool, b: \(old))", "(a: bool, b: \(new))")
    #expect(up.changes.map(\.kind) == [.widened])
    #expect(up.changes[0].stored == old && up.changes[0].wanted == new)
    #expect(up.changes[0].backward == .widened && up.changes[0].forward == .narrowed)
    #expect(try Compared.converted(up, [true, value]) == [true, wide])
    #expect(try Compared.converted(down, [true, wide]) == [true, value])
    if canMisfit {
      let reason = try Compared.failure(down, [true, misfit])
      #expect(reason == .outOfRange || reason == .invalidText)
    }
  }

  @Test(
    arguments: [
      ("int64", "int32"), ("int64", "double"), ("int32", "float"), ("uint64", "int64"), ("int8", "uint64"),
      ("double", "float"), ("text", "int64"), ("date", "double"), ("text", "url"), ("uuid", "text"),
      ("uuid", "bytes"), ("text", "codable"), ("decimal", "text"), ("text", "(a: text)"),
      ("{text}", "[text]"),
      ("[text]", "{text}"), ("bool", "int8"),
    ])
  func `a type change that may lose a value needs a rule`(old: String, new: String) throws {
    let (up, _) = try Compared.both("(a: \(old))", "(a: \(new))")
    #expect(up.changes.map(\.verdict) == [.custom])
    #expect(up.changes[0].backward == .rule)
    #expect(up.conversion == nil)
    #expect(up.changes[0].description.contains("Upcast(…)"))
    #expect(up.changes[0].description.contains("from \(old) to \(new)"))
  }

  @Test func `an older program reads a narrowed type as the wide one`() throws {
    let (_, down) = try Compared.both("(a: int64)", "(a: int32)")
    #expect(down.changes.map(\.verdict) == [.lightweight])
    #expect(down.conversion?.isSame == true)
  }

  @Test func `an added case is read as it is, and refused by older programs where it occurs`() throws {
    let (up, down) = try Compared.both("(k: <a | b(x: int64)>)", "(k: <c(y: text) | a | b(x: int64)>)")
    #expect(up.changes.map(\.kind) == [.caseAdded("c")])
    #expect(up.changes[0].backward == .asIs && up.changes[0].forward == .error)
    #expect(up.changes[0].breaksForward)
    #expect(try Compared.converted(up, [0]) == [1])
    #expect(try Compared.converted(up, [[1, 5]]) == [[2, 5]])
    #expect(try Compared.converted(down, [1]) == [0])
    #expect(try Compared.converted(down, [[2, 5]]) == [[1, 5]])
    #expect(try Compared.failure(down, [[0, "y"]]) == .outOfRange)
  }

  @Test func `an added case is the unknown one for older programs that declare it`() throws {
    let kind = ValueShape.choice([CaseShape("a"), CaseShape("other", standsForUnknown: true)])
    let old = RecordShape([FieldShape("k", kind), FieldShape("n", .integer(.int64))])
    let new = try RecordShape(parsing: "(k: <a | other | c(y: text)>, n: int64)")
    let up = ShapeComparison(from: old, to: new)
    #expect(up.changes.map(\.forward) == [.unknownCase])
    #expect(!up.changes[0].breaksForward)
    #expect(up.conversion?.isSame == true)
    let down = ShapeComparison(from: new, to: old, direction: .downgrade)
    #expect(try Compared.converted(down, [[2, "y"], 7]) == [1, 7])
    #expect(try Compared.converted(down, [0, 7]) == [0, 7])
  }

  @Test func `a removed case needs a rule, but not for older programs`() throws {
    let (up, down) = try Compared.both("(k: <a | b>)", "(k: <b>)")
    #expect(up.changes.map(\.kind) == [.caseRemoved("a")])
    #expect(up.changes[0].verdict == .custom)
    #expect(up.changes[0].backward == .rule && up.changes[0].forward == .downcast)
    #expect(up.conversion == nil)
    #expect(try Compared.converted(down, [0]) == [1])
  }

  @Test func `the values of a case change as fields do`() throws {
    let (up, down) = try Compared.both(
      "(k: <a | b(x: int32)>)", "(k: <a(n: text?) | b(x: double, n: text?)>)")
    #expect(up.changes.map(\.field) == ["k.a.n", "k.b.x", "k.b.n"])
    #expect(try Compared.converted(up, [0]) == [[0, .null]])
    #expect(try Compared.converted(up, [[1, 3]]) == [[1, 3.0, .null]])
    #expect(try Compared.converted(down, [[0, "n"]]) == [0])
    #expect(try Compared.converted(down, [[1, 3.0, "n"]]) == [[1, 3]])
  }

  @Test func `an array that becomes a value needs a rule, and is wrapped for older programs`() throws {
    let (up, down) = try Compared.both("(a: [int64])", "(a: int64)")
    #expect(up.changes.map(\.kind) == [.unwrapped])
    #expect(up.changes[0].backward == .rule && up.changes[0].forward == .wrapped)
    #expect(up.conversion == nil)
    #expect(try Compared.converted(down, [1]) == [[1]])
  }

  @Test func `a name that an earlier version gave to another type may not return`() throws {
    let versions = [
      try RecordShape(parsing: "(a: text, n: int64?)"), try RecordShape(parsing: "(a: text)"),
      try RecordShape(parsing: "(a: text, n: text)"),
    ]
    let changes = ShapeComparison.reusedNames(in: versions[2], after: versions[1], earlier: [versions[0]])
    #expect(changes.map(\.verdict) == [.forbidden])
    #expect(changes.map(\.field) == ["n"])
    let same = ShapeComparison.reusedNames(
      in: try RecordShape(parsing: "(a: text, n: int64)"), after: versions[1], earlier: [versions[0]])
    #expect(same == [])
  }

  @Test func `names that differ only in normalisation are different fields`() throws {
    let (up, _) = try Compared.both("(\"e\u{301}\": text?)", "(\"\u{e9}\": int64?)")
    #expect(up.changes.map(\.kind) == [.addedOptional, .removedOptional])
  }

  @Test func `a type that contains itself is compared once and converted all the way down`() throws {
    let (up, down) = try Compared.both(
      "(v: int32, next: ^0?, more: [^0])", "(v: double, tag: text?, next: ^0?, more: [^0])")
    #expect(up.changes.map(\.kind) == [.widened, .addedOptional])
    #expect(
      try Compared.converted(up, [1, [2, .null, []], [[3, .null, []]]])
        == [1.0, .null, [2.0, .null, .null, []], [[3.0, .null, .null, []]]])
    #expect(
      try Compared.converted(down, [1.0, .null, [2.0, "x", .null, []], [[3.0, .null, .null, []]]])
        == [1, [2, .null, []], [[3, .null, []]]])
  }

  @Test func `a type that contains itself and did not change is copied`() throws {
    let (up, _) = try Compared.both(
      "(n: (v: text, next: ^0?, up: [^1]))", "(n: (v: text, next: ^0?, up: [^1]))")
    #expect(up.changes == [])
    #expect(up.conversion?.isSame == true)
  }

  @Test func `keys and elements are sorted again, and those that become equal need a rule`() throws {
    let (up, _) = try Compared.both("(s: {int32}, m: [int32: int32])", "(s: {double}, m: [double: double])")
    // 4096.0 takes three bytes and 2049.0 five, so that their order changes.
    #expect(
      try Compared.converted(up, [[1, 2049, 4096], [[2049, 7], [4096, 8]]])
        == [[1.0, 4096.0, 2049.0], [[4096.0, 8.0], [2049.0, 7.0]]])
    let (merged, _) = try Compared.both("(s: {(a: text, b: text?)})", "(s: {(a: text)})")
    #expect(merged.changes.map(\.kind) == [.removedOptional, .merged])
    #expect(merged.conversion == nil)
  }

  @Test func `a map whose keys become or cease to be texts changes its form`() throws {
    let (up, down) = try Compared.both("(m: [url: int64])", "(m: [text: int64])")
    #expect(try Compared.converted(up, [[["a:b", 1], ["aa:b", 2]]]) == [["a:b": 1, "aa:b": 2]])
    #expect(try Compared.converted(down, [["a:b": 1, "aa:b": 2]]) == [[["a:b", 1], ["aa:b", 2]]])
  }
}
