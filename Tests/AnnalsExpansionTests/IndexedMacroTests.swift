import Testing

@Suite struct IndexedMacroTests {
  /// The lines of the expansion that declare keys.
  private func keys(_ members: String, _ access: String = "") -> [String] {
    let lines = Expansion.lines(
      of: Expansion(of: "@Record \(access)struct A: ProjectionRow {\n\(members)\n}").text)
    // A closure or getter is written on three lines.
    return lines.indices.filter { lines[$0].contains("SecondaryKey<") || lines[$0].contains("secondaryKeys") }
      .map { lines[$0..<min($0 + 3, lines.count)].joined(separator: " ") }
  }

  private func complaint(_ source: String) -> String? { Expansion.complaint(about: source) }

  @Test func `a key is a constant called like its property, and the record lists all`() {
    #expect(
      keys("var id: Int\n@Indexed var team: String?\n@Indexed(unique: true) var name: String") == [
        "static let `byTeam` = Annals.SecondaryKey<Self, String>(\"team\") { $0.team }",
        "static let `byName` = Annals.SecondaryKey<Self, String>(\"name\", unique: true) { $0.name }",
        "static var secondaryKeys: [any Annals.DeclaredKey<A>] { [`byTeam`, `byName`] }",
      ])
  }

  @Test func `an array and a set have a key for each element`() {
    #expect(
      keys("@Indexed var labels: [String]\n@Indexed var ids: Set<UUID>") == [
        "static let `byLabels` = Annals.SecondaryKey<Self, String>(\"labels\", each: { $0.labels })",
        "static let `byIds` = Annals.SecondaryKey<Self, UUID>(\"ids\", each: { Swift.Array($0.ids) })",
        "static var secondaryKeys: [any Annals.DeclaredKey<A>] { [`byLabels`, `byIds`] }",
      ])
  }

  @Test func `a key has the name on disk and the visibility of its field`() {
    #expect(
      keys("@Field(\"on\") @Indexed public var `default`: Date", "public ") == [
        "public static let `byDefault` = Annals.SecondaryKey<Self, Date>(\"on\") { $0.default }",
        "public static var secondaryKeys: [any Annals.DeclaredKey<A>] { [`byDefault`] }",
      ])
  }

  @Test func `a record without keys lists none`() {
    #expect(keys("var id: Int") == [])
  }

  @Test func `a key belongs to a stored property of a row`() {
    #expect(
      complaint("@Record struct A: Record { @Indexed var n: Int }")
        == "only rows of projections have keys: write @Record struct …: ProjectionRow around it")
    #expect(
      complaint("@Record struct A: ProjectionRow { @Indexed var n: Int { 1 } }")
        == "@Indexed belongs on a stored property of a row: for a computed key declare a SecondaryKey and list it in secondaryKeys"
    )
  }

  @Test func `keys are listed by the record or by hand, not both`() {
    #expect(
      complaint(
        "@Record struct A: ProjectionRow { @Indexed var n: Int\nstatic var secondaryKeys: [any DeclaredKey<A>] { [] } }"
      )
        == "'secondaryKeys' is written by hand: remove it, or remove @Indexed and list a SecondaryKey there")
  }
}
