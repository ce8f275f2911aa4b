import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

/// Fields that are renamed with their original names, now or in an earlier version.
struct OriginalNameTests {
  @Test func `a field renamed with its original name is mapped both ways`() throws {
    let (up, down) = try Compared.both("(a: text, weight: double)", "(a: text, kilograms(weight): double)")
    #expect(up.changes.map(\.kind) == [.renamed(from: "weight")])
    #expect(up.changes[0].breaksForward)
    #expect(up.changes[0].backward == .mapped && up.changes[0].forward == .mappedBack)
    #expect(up.conversion?.isSame == true)
    #expect(down.conversion?.isSame == true)
  }

  @Test func `two fields that swap their names swap their values`() throws {
    let (up, down) = try Compared.both("(a: text, b: text)", "(a(b): text, b(a): text)")
    #expect(up.problems == [])
    #expect(try Compared.converted(up, ["x", "y"]) == ["y", "x"])
    #expect(try Compared.converted(down, ["x", "y"]) == ["y", "x"])
  }

  @Test func `an original name that an earlier version has applied has no further effect`() throws {
    let (up, _) = try Compared.both("(kilograms(weight): double)", "(kilograms(weight): double, note: text?)")
    #expect(up.problems == [])
    #expect(up.changes.map(\.kind) == [.addedOptional])
  }

  @Test(
    arguments: [
      // A record that is declared again as it was.
      ("(a(b): text, b(a): text)", "(a(b): text, b(a): text)", ["x", "y"] as CBOR),
      // The field with the earlier name keeps it, or has become another one.
      (
        "(old(size): text, size: text?)", "(old(size): text, size: text?, note: text?)",
        ["x", "y", .null] as CBOR
      ),
      ("(old(size): text, size: text?)", "(old(size): text, large(size): text?)", ["x", "y"] as CBOR),
    ]) func `an original name of an earlier version is clear while the field with the name is there`(
      old: String, new: String, result: CBOR
    ) throws
  {
    let (up, _) = try Compared.both(old, new)
    #expect(up.problems == [])
    #expect(try Compared.converted(up, ["x", "y"]) == result)
  }

  @Test(
    arguments: [
      // Swapped before, and again now, or only declared in another order.
      ("(end(start): text, start(end): text)", "(start(end): text, end(start): text)", ["end", "start"]),
      ("(a(b): text, b(c): text, c(a): text)", "(b(c): text, c(a): text, a(b): text)", ["a", "b", "c"]),
      // The field that has the name since is gone, or is now the renamed one.
      ("(old(size): int64, size: int64?)", "(old(size): int64?)", ["old"]),
      ("(v: (old(size): int64, size: int64))", "(v: (old(size): int64))", ["v.old"]),
    ]) func `an original name that may be an earlier one is refused`(
      old: String, new: String, fields: [String]
    ) throws
  {
    let (up, _) = try Compared.both(old, new)
    #expect(up.problems.map(\.field).sorted() == fields)
    #expect(up.problems.allSatisfy { $0.description.contains("had it in the older version too") })
    #expect(up.conversion == nil)
  }

  @Test func `an original name of an earlier version is clear if the other field is removed`() throws {
    let (up, _) = try Compared.both(
      "(old(size): int64, size: int64?)", "(old(size): int64)", [.acknowledge(removed: "size")])
    #expect(up.problems == [])
    #expect(try Compared.converted(up, [1, 2]) == [1])
  }

  @Test(
    arguments: [
      ("(a(b): text, b(c): text, c(a): text)", "(a(c): text, c(a): text)", ["x", "y", "z"], ["z", "x"]),
      ("(a: text, b(a): text)", "(a(b): text, b(a): text)", ["x", "y"], ["y", "x"]),
      ("(a(b): text, b: text)", "(a(b): text, c(a): text)", ["x", "y"], ["y", "x"]),
    ] as [(String, String, CBOR, CBOR)])
  func `a field whose namesake becomes another one is renamed itself`(
    old: String, new: String, payload: CBOR, result: CBOR
  ) throws {
    let (up, _) = try Compared.both(old, new)
    #expect(up.problems == [])
    #expect(try Compared.converted(up, payload) == result)
  }

  @Test(
    arguments: [
      ("(a: text)", "(b(c): text)", "b", "no field `c`"),
      ("(a: text)", "(a: text, b(a): text)", "b", "still exists"),
      ("(a: text)", "(b(a): text, c(a): text)", "c", "another field"),
    ])
  func `a wrong original name is a problem`(old: String, new: String, field: String, text: String) throws {
    let (up, down) = try Compared.both(old, new)
    #expect(up.problems.map(\.field) == [field])
    #expect(up.problems.allSatisfy { $0.description.contains(text) })
    #expect(up.conversion == nil && down.conversion == nil)
  }
}
