import Testing

@Suite struct RecordComplaintTests {
  @Test func `an enum is no record`() {
    let source = "@Schema(1, 0, 0) enum V1 { typealias B = V0.B; @Record enum A { case one } }"
    #expect(
      Expansion.complaint(about: source)
        == "an event is a struct; an enum inside one is a @Value: write @Value enum A { … }")
    #expect(Expansion(of: source).fixed == [source.replacing("@Record", with: "@Value")])
  }

  @Test(arguments: ["class", "actor"])
  func `a reference is no record`(kind: String) {
    let source = "@Record \(kind) A { let n: Int }"
    #expect(Expansion.complaint(about: source) == "an event is a struct: write @Record struct A { … }")
    #expect(Expansion(of: source).fixed == ["@Record struct A { let n: Int }"])
  }

  @Test func `a record is directly inside its schema`() {
    let source =
      "@Schema(1, 0, 0) enum V1 { typealias B = V0.B; @Value struct Outer { @Record struct A { var n: Int } } }"
    #expect(
      Expansion.complaint(about: source)
        == "@Schema sees only the records directly inside its braces: move 'A' out of 'Outer', or make it a @Value"
    )
    #expect(Expansion(of: source).fixed == [source.replacing("@Record", with: "@Value")])
  }

  @Test func `a record is not in an extension of its schema`() {
    #expect(
      Expansion.complaint(about: "extension Shop.V1 { @Record struct A { var n: Int } }")
        == "@Schema cannot see a record in an extension: move 'A' into the braces of 'Shop.V1', or declare 'struct A: Record' elsewhere and list it there as a typealias"
    )
  }

  @Test(arguments: [
    "enum V1: VersionedSchema {", "@Schema(1, 0, 0) enum V1 {", "struct Shop { @Schema(1, 0, 0) enum V1 {",
  ])
  func `a record may be in a schema of any kind`(head: String) {
    let braces = String(repeating: "}", count: head.count { $0 == "{" })
    #expect(Expansion(of: "\(head) @Record struct A { var n: Int } \(braces)").messages == [])
  }

  @Test func `a private record is not seen by its schema`() {
    let source = "enum V1 { @Record private struct A { var n: Int } }"
    #expect(
      Expansion.complaint(about: source)
        == "a private record cannot be seen by the code of its schema: write 'fileprivate'")
    #expect(Expansion(of: source).fixed == [source.replacing("private", with: "fileprivate")])
  }

  @Test func `a record is not generic`() {
    #expect(
      Expansion.complaint(about: "@Schema(1, 0, 0) enum V1 { @Record struct A<T> { var n: T } }")
        == "a record has one shape and cannot be generic: write the types of its fields out")
  }

  @Test func `a record is not a value as well`() {
    #expect(
      Expansion.complaint(about: "@Record @Value struct A { var n: Int }")
        == "a @Record is stored as a @Value is: remove @Value")
  }

  @Test(arguments: [
    ("recordName", "@Record(\"A\")"), ("formerNames", "@Record(formerly: [\"…\"])"),
    ("reservedNames", "@Record(reserved: [\"…\"])"),
  ])
  func `a record says its names in its mark`(member: String, argument: String) {
    #expect(
      Expansion.complaint(about: "@Record struct A { static var \(member): String { \"B\" } }")
        == "@Record writes '\(member)' itself: say it in the attribute, \(argument)")
  }

  @Test(arguments: [
    ("name", "a name on disk is written out as a text: @Record(\"A\")"),
    ("\"\\(name)\"", "a name on disk is written out as a text: @Record(\"A\")"),
    ("\"\"", "a name on disk cannot be empty: write one such as @Record(\"A\")"),
    ("\"a\\0\"", "a name on disk cannot hold NUL: write one such as @Record(\"A\")"),
    (
      "\"\(String(repeating: "é", count: 251))\"",
      "a name on disk has at most 500 bytes of UTF-8, and this one has 502: write one such as @Record(\"A\")"
    ),
    ("formerly: names", "names on disk are written out as texts: @Record(formerly: [\"A\"])"),
    ("formerly: [name]", "a name on disk is written out as a text: @Record(formerly: [\"A\"])"),
    ("formerly: [\"B\", \"B\"]", "the name 'B' stands twice: remove one"),
    (
      "formerly: [\"A\"]",
      "the record is called 'A' on disk already: give only names that it had before"
    ),
    ("reserved: [\"\"]", "a name on disk cannot be empty: write one such as @Record(reserved: [\"A\"])"),
    (
      "reserved: [\"n\"]",
      "the name 'n' is reserved: a field that is gone cannot come back; give 'n' another name with @Field(\"…\")"
    ),
  ])
  func `the names of a record are written out and can be stored`(arguments: String, message: String) {
    #expect(Expansion.complaint(about: "@Record(\(arguments)) struct A { var n: Int }") == message)
  }

  @Test func `names differ when their bytes do`() {
    let source =
      #"@Record("\u{e9}", formerly: ["e\u{301}"]) struct A: Record { @Field("\u{e9}") var a: Int; @Field("e\u{301}") var b: Int }"#
    #expect(Expansion(of: source).messages == [])
  }

  @Test func `a record with a mistake conforms without its fields, so that nothing else is reported`() {
    let text = Expansion(of: "@Record public struct A: Record { var n: Int; lazy var m: Int = 1 }").text
    #expect(!text.contains("self.n") && !text.contains("\"n\"") && !text.contains("init(n:"))
  }

  @Test func `a record is in a schema, or says what else it is for`() {
    #expect(
      Expansion.complaint(about: "@Record struct A { var n: Int }")?.hasPrefix(
        "'A' is in no schema and would never be an event: move it into the braces of an enum with @Schema")
        == true)
    #expect(Expansion.complaint(about: "enum Shop { @Record struct A { var n: Int } }") != nil)
  }

  @Test(arguments: [
    "@Record struct A: ProjectionRow { var key: Int }",
    "@Record struct A: Equatable, Annals.Record { var n: Int }",
    "@Record struct A: ShapedRecord { var n: Int }",
    "enum Account: Annals.Aggregate { @Record struct State { var n: Int } }",
    "extension Account: Aggregate { @Record struct State { var n: Int } }",
    "extension Towns { @Record struct Town: ProjectionRow { var key: Int } }",
    "enum ByHand: VersionedSchema { @Record struct A { var n: Int } }",
  ])
  func `a record outside a schema may be a row, a state, or said to be one`(source: String) {
    #expect(Expansion(of: source).messages == [])
  }

  @Test(arguments: ["var n = 1", "lazy var n: Int = 1", "let n: Int = 1"])
  func `a record with a mistake in a field still is one, so that nothing else fails`(member: String) {
    let expansion = Expansion(of: "@Schema(1, 0, 0) enum V1 { @Record struct A { \(member) } }")
    #expect(expansion.messages.count == 1)
    #expect(expansion.text.contains("extension V1.A: Annals.ShapedRecord, Annals.Record {"))
    #expect(expansion.text.contains("throw reader.unknownCase()"))
  }
}
