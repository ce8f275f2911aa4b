import Testing

@Suite struct SchemaComplaintTests {
  /// The only message for a schema with these members, without its line.
  private func complaint(_ members: String, _ head: String = "@Schema(1, 0, 0) enum V2") -> String? {
    Expansion.complaint(about: "\(head) { \(members) }")
  }

  @Test func `a schema must be an enum`() {
    #expect(
      complaint("struct A: Record { var n: Int }", "@Schema(1, 0, 0) struct V2")
        == "@Schema belongs on an enum without cases, which only gives its records a home: enum V2 { … }")
  }

  @Test(arguments: ["Event", "Cases", "Steps", "Annals", "Swift"])
  func `a schema does not hide names that the generated code uses`(name: String) {
    #expect(
      complaint("struct A: Record { var n: Int }", "@Schema(1, 0, 0) enum \(name)")
        == "a schema cannot be called '\(name)', a name that the code of @Schema uses: call it something else, such as OrdersV1"
    )
  }

  @Test func `a schema is not generic`() {
    #expect(
      complaint("struct A: Record { var n: Int }", "@Schema(1, 0, 0) enum V2<T>")
        == "a schema is one closed list of records and cannot be generic")
  }

  @Test(arguments: [
    "@Schema(one, 0, 0) enum V2", "@Schema(1, -1, 0) enum V2", "@Schema(1, 0, 2 + 1) enum V2",
  ])
  func `the numbers of a version are written out`(head: String) {
    #expect(
      complaint("struct A: Record { var n: Int }", head)
        == "a schema's version is three whole numbers written out: @Schema(1, 0, 0)")
  }

  @Test(arguments: ["stability", "[.draft]", ".shipped"])
  func `whether a schema may still change is written out`(argument: String) {
    #expect(
      complaint("@Record struct A { var n: Int }", "@Schema(1, 0, 0, \(argument)) enum V2")
        == "whether a schema may still change is written out: @Schema(1, 0, 0, .draft) or @Schema(1, 0, 0, .bridge)"
    )
  }

  @Test func `a struct that may have been meant as a record is pointed out`() {
    let expansion = Expansion(
      of: "@Schema(1, 0, 0) enum V2 { @Record struct A { var n: Int }; struct Line { var n: Int } }")
    #expect(
      expansion.messages == [
        "1: struct 'Line' is no event of this schema: mark it @Record to store it as an event, @Value if it is part of one"
      ])
    #expect(
      expansion.fixed == [
        "@Schema(1, 0, 0) enum V2 { @Record struct A { var n: Int }; @Record struct Line { var n: Int } }",
        "@Schema(1, 0, 0) enum V2 { @Record struct A { var n: Int }; @Value struct Line { var n: Int } }",
      ])
    #expect(expansion.text.contains("case a(V2.A)"), "a warning stops nothing")
  }

  @Test func `an enum that may have been meant as a value is pointed out`() {
    let expansion = Expansion(
      of: "@Schema(1, 0, 0) enum V2 { @Record struct A { var n: Int }; enum Kind { case one } }")
    #expect(
      expansion.messages == [
        "1: enum 'Kind' is no part of this schema's events: mark it @Value if it is part of one, or move it outside the schema's braces"
      ])
    #expect(expansion.fixed.map { $0.contains("@Value enum Kind") } == [true])
  }

  @Test func `a schema has at least one record`() {
    #expect(
      complaint("struct Line: Codable { var text: String }")
        == "a schema needs at least one record: write @Record struct Placed { … } or typealias Placed = V1.Placed inside it"
    )
  }

  @Test func `a schema has no cases of its own`() {
    #expect(
      complaint("case placed; struct A: Record { var n: Int }")
        == "a schema has no cases of its own: declare each event as @Record struct … inside it")
  }

  @Test func `nothing in a schema depends on the build`() {
    #expect(
      complaint("struct A: Record { var n: Int }\n#if DEBUG\nstruct B: Record { var n: Int }\n#endif\n")?
        .hasSuffix("a schema is the same in every build: nothing inside it may be in #if") == true)
  }

  @Test(arguments: ["@Record", "@Annals.Record", "@Value", "#if B\n@Record\n#endif"])
  func `no mark in a schema depends on the build`(mark: String) {
    #expect(
      complaint("struct A: Record { var n: Int }\n#if DEBUG\n\(mark)\n#endif\nstruct B { var n: Int }")
        == "a schema is the same in every build: nothing inside it may be in #if")
  }

  @Test(arguments: [
    "typealias Text = String", "typealias Pair<T> = V1.Pair", "typealias Pair = V1.Pair<Int>",
  ])
  func `a typealias names a record of an earlier schema`(alias: String) {
    let message = complaint("struct A: Record { var n: Int }; \(alias)")
    #expect(message?.hasPrefix("a typealias in a schema carries a record of an earlier one") == true)
    #expect(message?.hasSuffix("move any other typealias outside the schema's braces") == true)
  }

  @Test func `an unchanged record keeps its name`() {
    #expect(
      complaint("typealias Sent = V1.Shipped")
        == "a carried record keeps its name 'Shipped': write typealias Shipped = V1.Shipped, or declare @Record(formerly: [\"Shipped\"]) struct Sent { … } to rename it"
    )
  }

  @Test(arguments: ["Event", "Cases", "Steps", "Records", "Annals", "Swift", "V2"])
  func `a record does not hide names that the generated code uses`(name: String) {
    #expect(
      complaint("struct \(name): Record { var n: Int }")
        == "a record cannot be called '\(name)', a name that Swift or the code of @Schema uses: call it something else and keep the name on disk with static var recordName: String { \"\(name)\" }"
    )
  }

  @Test func `a marked record keeps its name on disk in its mark`() {
    #expect(
      complaint("@Record struct Event { var n: Int }")?.hasSuffix(
        "keep the name on disk with @Record(\"Event\")")
        == true)
  }

  @Test func `two records do not share a case`() {
    #expect(
      complaint("struct URLSet: Record { var n: Int }; struct UrlSet: Record { var n: Int }")
        == "records 'URLSet' and 'UrlSet' would both be the case 'urlSet': rename one of them")
  }

  @Test(arguments: ["struct A: Record { var n: Int }", "typealias A = V1.A", "package typealias A = V1.A"])
  func `a public schema has public records`(member: String) {
    #expect(
      complaint(member, "@Schema(1, 0, 0) public enum V2")
        == "record 'A' must be as visible as its schema: write 'public' before it")
    let source = "@Schema(1, 0, 0) public enum V2 { @Record struct A { var n: Int } }"
    #expect(
      Expansion(of: source).fixed == [source.replacing("@Record struct", with: "public @Record struct")])
  }

  @Test func `a record is not generic`() {
    #expect(
      complaint("struct A<T>: Record { var n: Int }")
        == "a record is stored under one name and cannot be generic")
  }

  @Test(arguments: ["enum", "final class", "actor"])
  func `a record is a struct`(kind: String) {
    #expect(
      complaint("struct A: Record { var n: Int }; \(kind) B: Record {}")
        == "a record is a struct: write @Record struct B { … }")
  }

  @Test func `every mistake is said at its line`() {
    let expansion = Expansion(
      of: """
        @Schema(1, 0, 0) enum V2 {
          typealias Text = String
          case placed
        }
        """)
    #expect(expansion.messages.map { $0.prefix(2) } == ["2:", "3:"])
  }

  @Test(arguments: [
    "case placed", "#if DEBUG\nstruct B: Record { var n: Int }\n#endif", "typealias Text = String",
    "struct Cases: Record { var n: Int }", "@Record private struct B { var n: Int }", "@Record class B {}",
  ])
  func `a mistake in a schema leaves the code of its other records`(member: String) {
    let expansion = Expansion(of: "@Schema(1, 0, 0) enum V2 { struct A: Record { var n: Int }\n\(member)\n}")
    #expect(expansion.messages.count == 1)
    let lines = Expansion.lines(of: expansion.text)
    #expect(lines.contains("extension V2: Annals.VersionedSchema {"))
    #expect(lines.filter { $0.contains("(V2.") } == ["case a(V2.A)"])
  }

  @Test func `mistakes in a version, a kind and a name on the way leave the code, too`() {
    let source = "@Schema(1, x, 0, y) struct V2 { typealias B = V1.A }"
    let expansion = Expansion(of: source)
    #expect(expansion.messages.count == 4)
    #expect(expansion.fixed == [source.replacing("struct V2", with: "enum V2")])
    #expect(expansion.text.contains("static let version = Annals.SchemaVersion(1, 0, 0)"))
    #expect(expansion.text.contains("case b(Carried.B)"))
    #expect(!expansion.text.contains("stability"))
  }

  @Test(arguments: [
    "enum Event { struct A: Record { var n: Int } }", "enum V2<T> { struct A: Record { var n: Int } }",
    "enum V2 { struct Event: Record { var n: Int } }", "enum V2 { struct V2: Record { var n: Int } }",
    "final class V2 { struct A: Record { var n: Int } }",
  ])
  func `no code is generated that would mean something else`(schema: String) {
    let expansion = Expansion(of: "@Schema(1, 0, 0) \(schema)")
    #expect(expansion.messages.count == 1)
    #expect(!expansion.text.contains("Annals."))
  }
}
