import Testing

@Suite struct PersonalMacroTests {
  @Test func `a personal field says in its shape whose it is and what is read when it is erased`() {
    let expansion = Expansion(
      of: """
        @Record struct Registered: Record {
          @Field("id") var customerID: String
          @Field("n", originalName: "title", personal: "customerID", erased: "nobody") var name: String
          @Field(personal: "customerID") var phone: [String]?
        }
        """)
    #expect(expansion.messages == [])
    let lines = Expansion.lines(of: expansion.text)
    for line in [
      "fields.append(Annals.FieldShape(\"id\", \\Self.customerID, in: &types))",
      "fields.append(Annals.FieldShape(\"n\", originalName: \"title\", \\Self.name, personal: \"id\", erased: \"nobody\", in: &types))",
      "fields.append(Annals.FieldShape(\"phone\", \\Self.phone, personal: \"id\", erased: nil, in: &types))",
    ] {
      #expect(lines.contains(line), "\(lines)")
    }
  }

  @Test(arguments: [
    (
      "var id: Int; @Field(tag: \"a\", personal: \"id\") var x: Int?",
      "a field cannot be both tag and personal, because tags are not encrypted: remove one of them"
    ),
    (
      "@Field(personal: \"id\") var x: Int?",
      "field 'x' is personal, and no other field of the record is called 'id': name the property with the person's id"
    ),
    (
      "@Field(personal: \"x\") var x: Int?",
      "field 'x' is personal, and no other field of the record is called 'x': name the property with the person's id"
    ),
    (
      "var id: Int?; @Field(personal: \"id\") var x: Int?",
      "field 'id' has the id of a person and cannot be optional: write its type without '?'"
    ),
    (
      "var id: Int; @Field(personal: \"id\") var x: Int",
      "field 'x' is personal, and readers need a value after its key was dropped: write erased:, or make its type optional"
    ),
    (
      "var id: Int; @Field(personal: \"id\", erased: nil) var x: Int",
      "field 'x' is personal, and readers need a value after its key was dropped: write erased:, or make its type optional"
    ),
    (
      "var id: Int; @Field(personal: \"id\") var x: Int?; @Field(personal: \"x\") var y: Int?",
      "field 'x' has the id of a person and cannot be personal itself: keep the id apart"
    ),
    (
      "@Field(erased: 1) var x: Int",
      "only a personal field is erased: write personal: with the field of the person's id"
    ),
    (
      "@Field(personal: name) var x: Int?",
      "a name on disk is written out as a text: @Field(personal: \"title\")"
    ),
  ])
  func `a personal field is valid`(members: String, message: String) {
    #expect(Expansion.complaint(about: "@Record struct A: Record {\n\(members)\n}") == message)
  }

  @Test func `a field of a value is not personal, nor is a case`() {
    #expect(
      Expansion.complaint(about: "@Value struct A { var id: Int; @Field(personal: \"id\") var x: Int? }")
        == "only a field of a @Record can be personal, and this is one of a @Value: make the field of the record that holds it personal"
    )
    #expect(
      Expansion.complaint(about: "@Value enum A { @Field(personal: \"id\") case x }")
        == "a case is not personal: make the field of the record that holds the value personal")
  }

  @Test(arguments: ["@Record struct A: ProjectionRow", "enum P: Aggregate { @Record struct A"])
  func `a row or a state is not encrypted`(head: String) {
    let end = head.hasPrefix("enum") ? "} }" : "}"
    #expect(
      Expansion.complaint(about: "\(head) { var id: Int; @Field(personal: \"id\") var x: Int? \(end)")
        == "only events are encrypted: remove personal: here; a dropped key folds the views and states of its store again"
    )
  }
}
