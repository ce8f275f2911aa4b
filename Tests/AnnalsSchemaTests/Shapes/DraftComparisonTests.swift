import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

/// Drafts of one version, whose original names all mean the version before.
struct DraftComparisonTests {
  /// A field of a draft: its name, and its original name.
  private struct Field {
    let name: String
    let original: String?

    var text: String { "\(name)\(original.map { "(\($0))" } ?? ""): text?" }
    /// The field of the version before that it is.
    var root: String? { original ?? (["a", "b"].contains(name) ? name : nil) }
  }

  private static let previous = "(a: text?, b: text?)"

  private static func text(_ draft: [Field]) -> String {
    "(\(draft.map(\.text).joined(separator: ", ")))"
  }

  /// All drafts with fields of these names that the stage reads.
  private static func drafts() throws -> [[Field]] {
    var drafts: [[Field]] = [[]]
    for name in ["a", "b", "d"] {
      let originals: [String?] = [nil, "a", "b"]
      let declared = originals.filter { $0 != name }.map { Field(name: name, original: $0) }
      drafts = drafts.flatMap { draft in [draft] + declared.map { draft + [$0] } }
    }
    return try drafts.filter { draft in
      guard !draft.isEmpty else { return false }
      return try Compared.both(previous, text(draft)).up.problems.isEmpty
    }
  }

  private static func compared(
    _ old: String, _ new: String, after previous: String, _ adjustments: [FieldAdjustment] = []
  ) throws -> ShapeComparison {
    ShapeComparison(
      from: try RecordShape(parsing: old), to: try RecordShape(parsing: new),
      drafts: DraftRoots(previous: try RecordShape(parsing: previous), adjustments: adjustments))
  }

  @Test func `a draft reads each value of another one as the same field of the version before`() throws {
    let drafts = try Self.drafts()
    #expect(drafts.count > 10)
    for old in drafts {
      for new in drafts {
        let comparison = try Self.compared(Self.text(old), Self.text(new), after: Self.previous)
        let expected = new.map { field -> CBOR in
          let same = old.first { $0.root != nil && $0.root == field.root }
          // A name of which one of the two is new.
          let named = old.first { other in
            other.name == field.name && (other.root == nil || field.root == nil)
              && (other.root == nil || !new.contains { $0.root == other.root })
          }
          return (same ?? named).map { .text($0.name) } ?? .null
        }
        let values = CBOR.array(old.map { .text($0.name) })
        #expect(
          try Compared.converted(comparison, values) == .array(expected),
          "\(Self.text(old)) to \(Self.text(new))")
      }
    }
  }

  @Test
  func `a field that the earlier draft lacks has the constant of the stage, another one keeps its value`()
    throws
  {
    let constant = FieldAdjustment.constant(field: "n", bytes: [5])
    let missing = try Self.compared("(k: text)", "(k: text, n: int64)", after: "(k: text)", [constant])
    #expect(try Compared.converted(missing, ["x"]) == ["x", 5])
    let there = try Self.compared(
      "(n: int32, k: text)", "(k: text, n: int64)", after: "(k: text)", [constant])
    #expect(try Compared.converted(there, [7, "x"]) == ["x", 7])
  }

  @Test func `a value that the stage wraps is wrapped in an earlier draft, unless that has an array`() throws
  {
    let single = try Self.compared("(k: text)", "(k: [text])", after: "(k: text)", [.wrap("k")])
    #expect(try Compared.converted(single, ["x"]) == [["x"]])
    let array = try Self.compared("(k: [text])", "(k: [text], n: text?)", after: "(k: text)", [.wrap("k")])
    #expect(try Compared.converted(array, [["x", "y"]]) == [["x", "y"], .null])
  }

  @Test func `a comparison of drafts says what it cannot read`() throws {
    let comparison = try Self.compared("(k: text)", "(k: int64, n: bool)", after: "(k: text)")
    #expect(comparison.conversion == nil)
    #expect(comparison.obstacles == ["`k` was text, and is int64", "`n` was not there, and is bool"])
  }
}
