import Testing

@Suite struct ValueComplaintTests {
  /// The only message for a value with these cases.
  private func complaint(_ cases: String, _ head: String = "enum A") -> String? {
    Expansion.complaint(about: "@Value \(head) {\n\(cases)\n}")
  }

  @Test(arguments: ["class", "actor"])
  func `a reference is no value`(kind: String) {
    #expect(
      complaint("", "\(kind) A")
        == "a value that is stored is a struct or an enum: write @Value struct A { … }")
  }

  @Test(arguments: ["enum A<T>", "struct A<T>"])
  func `a value is not generic`(head: String) {
    let message = complaint(head.hasPrefix("enum") ? "case a" : "", head)
    #expect(
      message?.hasPrefix("a value has one shape and cannot be generic: write the types of its ") == true)
  }

  @Test func `a private value is not seen by its code`() {
    #expect(
      Expansion.complaint(about: "enum V1 { @Value private enum A { case a } }")
        == "a private value cannot be seen by the code of @Value: write 'fileprivate'")
    #expect(Expansion(of: "@Value private enum A { case a }").messages == [])
  }

  @Test func `an enum has a case`() {
    #expect(complaint("") == "an enum without cases has no value to store: give it a case, or remove @Value")
  }

  @Test func `a value has the same cases in every build`() {
    #expect(
      complaint("case a\n#if A\ncase b\n#endif")
        == "a value has the same cases in every build: no #if around them")
  }

  @Test func `cases are distinguished by their names`() {
    #expect(
      complaint("case a(x: Int); case a(y: Int)")
        == "two cases are called 'a', which Swift cannot tell apart in a switch: give each a name of its own")
  }

  @Test func `cases are distinguished by their names on disk`() {
    #expect(
      complaint("@Field(\"b\") case a\ncase b")
        == "cases 'a' and 'b' would both be 'b' on disk: give one of them another name with @Field(\"…\")")
  }

  @Test(arguments: ["self", "Type", "Protocol"])
  func `a case has a name that can follow a dot`(name: String) {
    #expect(
      complaint("case `\(name)`")
        == "Swift cannot say a case called '\(name)' after a dot: call it something else and write @Field(\"\(name)\") before it"
    )
  }

  @Test func `the text of a case can be stored`() {
    #expect(
      complaint("case a = \"\"", "enum A: String")
        == "a name on disk cannot be empty: name the case with @Field(\"a\")")
  }

  @Test(arguments: [
    ("@Field(\"x\") case a, b", "@Field speaks of one case: give 'a' a line of its own"),
    ("@UnknownCase case a, b", "@UnknownCase speaks of one case: give 'a' a line of its own"),
    ("@Field(name) case a", "a name on disk is written out as a text: @Field(\"a\")"),
    (
      "@Field(originalName: \"b\") case a",
      "a case keeps its name on disk when it is renamed in Swift: write that name, @Field(\"…\")"
    ),
    (
      "@UnknownCase case a(Int)", "a case that stands for unknown ones holds nothing: @UnknownCase case other"
    ),
    (
      "@UnknownCase case a\n@UnknownCase case b",
      "one case stands for all unknown ones: remove @UnknownCase from the others"
    ),
    (
      "case a\n@UnknownCase static var b: Int { 1 }",
      "@UnknownCase belongs on a case of a @Value enum: remove it"
    ),
    (
      "case a((Int, Int))",
      "a value of case 'a' cannot be a tuple: declare @Value struct with these fields and store that"
    ),
    ("case a(() -> Void)", "a value of case 'a' cannot be a function: store the values that it works on"),
  ])
  func `the options of a case make sense`(cases: String, message: String) {
    #expect(complaint(cases) == message)
  }

  @Test func `only a value has a case for unknown ones`() {
    #expect(
      Expansion.complaint(about: "enum A { @UnknownCase case a }")
        == "@UnknownCase marks a case of a @Value: mark the enum around it with @Value")
  }

  @Test func `the fields of a value are spoken of as such`() {
    #expect(
      complaint("lazy var x: Int = 1", "struct A")
        == "a stored field is not lazy: give it its value when the value is made, or compute it each time")
  }

  @Test func `a value with a mistake conforms without its cases, so that nothing else is reported`() {
    let text = Expansion(of: "@Value enum A { case a; case a(Int) }").text
    #expect(!text.contains("case .a") && !text.contains("\"a\""))
  }
}
