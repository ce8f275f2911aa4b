import Testing

/// Attributes that a macro would ignore in silence.
@Suite struct IgnoredMarkTests {
  private func expansion(_ members: String) -> Expansion {
    Expansion(of: "@Record struct A: Record {\n\(members)\n}")
  }

  private func messages(_ members: String, in head: String = "@Record struct A: Record") -> [Substring] {
    Expansion(of: "\(head) {\n\(members)\n}").messages.map { $0.drop { $0 != " " }.dropFirst() }
  }

  private let second = "only the first @Field would be read: write one @Field with all arguments"

  @Test func `every further mark of a field is a mistake`() {
    let found = expansion("@Field(\"x\")\n@Field(tag: \"t\")\n@Annals.Field(originalName: \"o\") var x: Int")
    #expect(found.messages == ["3: \(second)", "4: \(second)"])
    #expect(found.fixed == [])
  }

  @Test(arguments: [
    ("@Field(\"n\") @Field(tag: \"t\") var x: Int", "@Field(\"n\", tag: \"t\") var x: Int"),
    ("@Field(tag: \"t\")\n  @Field(\"n\")\n  var x: Int", "@Field(\"n\", tag: \"t\")\n  var x: Int"),
    (
      "@Field(\"n\") @Field(personal: \"p\", erased: \"\") var x: String; var p: Int",
      "@Field(\"n\", personal: \"p\", erased: \"\") var x: String; var p: Int"
    ),
    ("@Field(\"n\") @Field(\"n\") var x: Int", "@Field(\"n\") var x: Int"),
    (
      "@nonobjc @Field(\"n\") @Annals.Field() private var x: Int",
      "@nonobjc @Field(\"n\") private var x: Int"
    ),
  ])
  func `two marks that agree may become one`(members: String, fixed: String) {
    let found = expansion(members)
    #expect(found.messages.count == 1)
    #expect(found.fixed == ["@Record struct A: Record {\n\(fixed)\n}"])
  }

  @Test(arguments: [
    "@Field(\"n\") @Field(\"m\") var x: Int", "@Field(\"n\") @usableFromInline @Field(tag: \"t\") var x: Int",
    "@Field(\"n\") /* old */ @Field(tag: \"t\") var x: Int",
  ])
  func `other pairs of marks have no single correction`(members: String) {
    let found = expansion(members)
    #expect(found.messages == ["2: \(second)"])
    #expect(found.fixed == [])
  }

  @Test func `a value has one mark for each field and case, too`() {
    #expect(messages("@Field(\"y\") @Field(\"z\") var x: Int", in: "@Value struct A") == [second[...]])
    #expect(messages("@Field(\"y\") @Field(\"z\") case x", in: "@Value enum A") == [second[...]])
  }

  @Test(arguments: [
    "#if A\n@Field(\"y\")\n#else\n@Field(\"z\")\n#endif\nvar x: Int",
    "#if A\n#if B\n@available(*, deprecated)\n@Annals.Field(tag: \"t\")\n#endif\n#endif\nvar x: Int",
  ])
  func `a mark of a field does not depend on the build`(members: String) {
    #expect(messages(members) == ["a record is the same in every build: no #if around @Field"])
    #expect(
      messages(members, in: "@Value struct A") == [
        "a value is the same in every build: no #if around @Field"
      ])
  }

  @Test(arguments: ["Field", "UnknownCase"])
  func `a mark of a case does not depend on the build`(mark: String) {
    #expect(
      messages("#if A\n@\(mark)\n#endif\ncase x", in: "@Value enum A") == [
        "a value is the same in every build: no #if around @\(mark)"
      ])
  }

  @Test func `a key of a row does not depend on the build`() {
    #expect(
      messages("#if A\n@Indexed\n#endif\nvar x: Int", in: "@Record struct A: ProjectionRow") == [
        "a record is the same in every build: no #if around @Indexed"
      ])
  }

  @Test func `a wrapper in #if is one, too`() {
    #expect(
      messages("#if A\n@Kept\n#endif\nvar x: Int") == [
        "a stored field has no property wrapper: store the plain value and wrap it outside the record"
      ])
  }

  @Test func `an attribute of the language may depend on the build`() {
    #expect(messages("#if A\n@available(*, deprecated)\n#endif\nvar x: Int") == [])
  }
}
