import Testing

@Suite struct FieldComplaintTests {
  /// The only message for a record with these members.
  private func complaint(_ members: String) -> String? {
    Expansion.complaint(about: "@Record struct A: Record {\n\(members)\n}")
  }

  @Test(arguments: [("1", "Int"), ("1.5", "Double"), ("true", "Bool"), ("\"a\"", "String")])
  func `the type of a field is written out`(value: String, type: String) {
    #expect(
      complaint("var x = \(value)")
        == "write the type of 'x': var x: \(type); what is stored must not depend on inference")
    #expect(
      Expansion(of: "@Record struct A { var x = \(value) }").fixed == [
        "@Record struct A { var x: \(type) = \(value) }"
      ])
  }

  @Test func `a type that cannot be guessed is asked for`() {
    #expect(
      complaint("var x = make()")
        == "write the type of 'x': var x: …; what is stored must not depend on inference")
  }

  @Test func `a constant with a value is no field`() {
    #expect(
      complaint("let x: Int = 1")
        == "'let x' has one value for ever and cannot be read back: write 'var x', or 'static let x' if it is no field"
    )
    #expect(
      Expansion(of: "@Record struct A { let x: Int = 1 }").fixed == ["@Record struct A { var x: Int = 1 }"])
  }

  @Test func `a field is not lazy`() {
    #expect(
      complaint("lazy var x: Int = 1")
        == "a stored field is not lazy: give it its value when the record is made, or compute it each time")
  }

  @Test func `a field has no wrapper`() {
    #expect(
      complaint("@Clamped var x: Int")
        == "a stored field has no property wrapper: store the plain value and wrap it outside the record")
  }

  @Test func `a field has one name`() {
    #expect(
      complaint("var (x, y): (Int, Int)")
        == "a field has one name and one type: declare each in a line of its own: var x: Int")
  }

  @Test(arguments: ["(Int, Int)", "[(Int, Int)]?", "Set<()>"])
  func `a field is no tuple`(type: String) {
    #expect(
      complaint("var x: \(type)")
        == "field 'x' cannot be a tuple: declare @Value struct with these fields and store that")
  }

  @Test(arguments: ["InlineArray<3, Int>", "[3 of Int]", "[3 of Int]?", "Swift.InlineArray<3, Int>"])
  func `a field is no inline array`(type: String) {
    #expect(
      complaint("var x: \(type)")
        == "field 'x' cannot be an InlineArray, which has no stored form: write [Int]")
  }

  @Test(arguments: ["(Int)", "[(Int)]"])
  func `one type in parentheses is that type`(type: String) {
    #expect(Expansion(of: "@Record struct A: Record { var x: \(type) }").messages == [])
  }

  @Test(arguments: ["() -> Int", "(@Sendable (Int) -> Void)?"])
  func `a field is no function`(type: String) {
    #expect(
      complaint("var x: \(type)") == "field 'x' cannot be a function: store the values that it works on")
  }

  @Test(arguments: ["any P", "[any P]"])
  func `a field has one concrete type`(type: String) {
    #expect(
      complaint("var x: \(type)")
        == "field 'x' needs one concrete type: write it in the place of 'any P', or declare @Value enum with a case for each type"
    )
  }

  @Test func `a field is absent in plain sight`() {
    #expect(complaint("var x: Int!") == "field 'x' may be absent or not, but never in silence: write 'Int?'")
    #expect(Expansion(of: "@Record struct A { var x: Int! }").fixed == ["@Record struct A { var x: Int? }"])
  }

  @Test(arguments: ["self", "Self", "Type", "Protocol"])
  func `a field has a name that key paths can use`(name: String) {
    #expect(
      complaint("var `\(name)`: Int")
        == "key paths cannot say a property called '\(name)': call it something else and write @Field(\"\(name)\") before it"
    )
  }

  @Test(arguments: ["var x: Int", "#if B\nvar x: Int\n#endif"])
  func `a record has the same fields in every build`(member: String) {
    #expect(
      complaint("#if A\n\(member)\n#endif")
        == "a record has the same fields in every build: no #if around them")
  }

  @Test func `a member that is no field may depend on the build`() {
    #expect(Expansion(of: "@Record struct A: Record {\n#if A\nfunc f() {}\n#endif\n}").messages == [])
  }

  @Test(arguments: [
    ("@Field(name) var x: Int", "a name on disk is written out as a text: @Field(\"title\")"),
    ("@Field(\"\") var x: Int", "a name on disk cannot be empty: write one such as @Field(\"title\")"),
    ("@Field(\"a\\0\") var x: Int", "a name on disk cannot hold NUL: write one such as @Field(\"title\")"),
    (
      "@Field(originalName: \"\") var x: Int",
      "a name on disk cannot be empty: write one such as @Field(originalName: \"title\")"
    ),
    (
      "@Field(originalName: was) var x: Int",
      "a name on disk is written out as a text: @Field(originalName: \"title\")"
    ),
    (
      "@Field(originalName: \"x\") var x: Int",
      "field 'x' is called 'x' on disk already: give the name that it had in the version before, or leave originalName out"
    ),
    (
      "@Field(\"y\", originalName: \"y\") var x: Int",
      "field 'x' is called 'y' on disk already: give the name that it had in the version before, or leave originalName out"
    ),
    (
      "@Field(\"y\") var x: Int; var y: Int",
      "fields 'x' and 'y' would both be 'y' on disk: give one of them another name with @Field(\"…\")"
    ),
    (
      "@Field(originalName: \"z\") var x: Int; @Field(originalName: \"z\") var y: Int",
      "fields 'x' and 'y' cannot both have been 'z': leave the originalName of one out and give it its value in a rule"
    ),
    ("@Field(\"y\") static var x: Int { 1 }", "a static property is no field: remove @Field"),
    ("@Field(\"y\") var x: Int { 1 }", "a computed property is not stored: remove @Field"),
    ("@Field(\"y\") func x() {}", "@Field belongs on a stored property or on a case: remove it"),
  ])
  func `the options of a field are valid`(member: String, message: String) {
    #expect(complaint(member) == message)
  }

  @Test func `fields may swap their names`() {
    #expect(
      Expansion(
        of:
          "@Record struct A: Record { @Field(originalName: \"y\") var x: Int; @Field(originalName: \"x\") var y: Int }"
      )
      .messages == [])
  }

  @Test(arguments: [
    "struct A { @Field(\"y\") var x: Int }", "@Field(\"y\") var x: Int",
    "enum A { @Field(\"y\") var x: Int }",
  ])
  func `only a record or value has fields`(source: String) {
    #expect(
      Expansion.complaint(about: source)
        == "@Field names a field of a @Record or @Value: mark the struct around it with one of them")
  }

  @Test func `only a value has cases`() {
    #expect(
      Expansion.complaint(about: "enum A { @Field(\"y\") case x }")
        == "@Field names a case of a @Value: mark the enum around it with @Value")
  }
}
