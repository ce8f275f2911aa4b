import Testing

@Suite struct TagMacroTests {
  @Test func `fields that are tags become a function of the record`() {
    let expansion = Expansion(
      of: """
        @Record struct Moved: Record {
          @Field("f", tag: "account") var from: String
          @Field(tag: "account") var to: [String]
          var `default`: Int
        }
        """)
    #expect(expansion.messages == [])
    let lines = Expansion.lines(of: expansion.text)
    let function = Expansion.lines(
      of: """
        static var hasTags: Swift.Bool {
          true
        }
        static var tagNames: [Swift.String] {
          ["account"]
        }
        static func tags(_ value: Self) -> [Annals.EventTag] {
          var tags = Annals.FieldTags()
          tags.add("account", value.from)
          tags.add("account", value.to)
          return tags.all
        }
        """)
    #expect(lines.joined(separator: "\n").contains(function.joined(separator: "\n")))
  }

  @Test func `a record without tags gets no code for them`() {
    let text = Expansion(of: "@Record struct A: Record { var x: Int }").text
    #expect(!text.contains("hasTags"))
    #expect(!text.contains("tags"))
  }

  @Test func `a record that lists its tags itself gets the statement alone`() {
    let expansion = Expansion(
      of: """
        @Record public struct A: Record {
          public var x: Int
          public static func tags(_ value: Self) -> [EventTag] { [] }
        }
        """)
    #expect(expansion.messages == [])
    #expect(expansion.text.contains("public static var hasTags"))
    #expect(!expansion.text.contains("FieldTags"))
    #expect(!expansion.text.contains("tagNames"))
  }

  @Test func `another function called tags gives no tags`() {
    let expansion = Expansion(of: "@Record struct A: Record { func tags(_ x: Int) {}; var tags: Int }")
    #expect(expansion.messages == [])
    #expect(!expansion.text.contains("hasTags"))
  }

  @Test(arguments: [
    (
      "@Field(tag: \"\") var x: Int",
      "a name on disk cannot be empty: write one such as @Field(tag: \"title\")"
    ),
    (
      "@Field(tag: \"a\\0\") var x: Int",
      "a name on disk cannot hold NUL: write one such as @Field(tag: \"title\")"
    ),
    ("@Field(tag: name) var x: Int", "a name on disk is written out as a text: @Field(tag: \"title\")"),
    (
      "@Field(tag: \"a:b\") var x: Int",
      "the name of a tag ends at its colon and cannot hold one: write one such as tag: \"course\""
    ),
    (
      "@Field(tag: \"a\") var x: Int; static func tags(_ value: Self) -> [EventTag] { [] }",
      "@Record writes 'tags' itself from the fields that are tags: remove the function, or tag: from the fields"
    ),
    ("@Field(tag: \"a\") static var x: Int { 1 }", "a static property is no field: remove @Field"),
  ])
  func `a tag of a record is valid`(members: String, message: String) {
    #expect(Expansion.complaint(about: "@Record struct A: Record {\n\(members)\n}") == message)
  }

  @Test func `a field of a value is no tag`() {
    #expect(
      Expansion.complaint(about: "@Value struct A { @Field(tag: \"a\") var x: Int }")
        == "only a field of a @Record can be a tag, and this is one of a @Value: tag a field of the record, or write 'static func tags' in it"
    )
    #expect(
      Expansion.complaint(about: "@Value enum A { @Field(tag: \"a\") case x }")
        == "a case is no tag: tag a field of the record that holds the value")
  }

  @Test func `nil is no tag`() {
    let expansion = Expansion(of: "@Record struct A: Record { @Field(tag: nil) var x: Int }")
    #expect(expansion.messages == [])
    #expect(!expansion.text.contains("hasTags"))
  }
}
