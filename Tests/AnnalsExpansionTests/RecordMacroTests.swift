import Testing

@Suite struct RecordMacroTests {
  @Test func `a record gets its names, its shape and its coding`() {
    let expansion = Expansion(
      of: """
        @Record("film", formerly: ["PixarFilm", "Movie"], reserved: ["studio"]) struct Film: Record {
          @Field("min", originalName: "length") var minutes: Int
          var title: String = "untitled"
          let `default`: [Part]?
        }
        """)
    #expect(expansion.messages == [])
    #expect(
      Expansion.lines(of: expansion.text)
        == Expansion.lines(
          of: """
            struct Film: Record {
              var minutes: Int
              var title: String = "untitled"
              let `default`: [Part]?
            }

            extension Film: Annals.ShapedRecord, Annals.Record {
              static var recordName: Swift.String {
                "film"
              }
              static var formerNames: [Swift.String] {
                ["PixarFilm", "Movie"]
              }
              static var reservedNames: [Swift.String] {
                ["studio"]
              }
            }

            extension Film: Annals.StoredValue {
              static func shape(in types: inout Annals.ShapeTypes) -> Annals.ValueShape {
                types.record(Self.self) { types in
                  var fields: [Annals.FieldShape] = []
                  fields.append(Annals.FieldShape("min", originalName: "length", \\Self.minutes, in: &types))
                  fields.append(Annals.FieldShape("title", \\Self.title, in: &types))
                  fields.append(Annals.FieldShape("default", \\Self.default, in: &types))
                  return fields
                }
              }
              init(from reader: inout Annals.FieldReader) throws(Annals.CodingFailure) {
                try reader.begin(3)
                self.minutes = try reader.field()
                self.title = try reader.field()
                self.default = try reader.field()
                reader.leave()
              }
              func encode(into writer: inout Annals.FieldWriter) throws(Annals.CodingFailure) {
                try writer.begin(3)
                try writer.field(self.minutes)
                try writer.field(self.title)
                try writer.field(self.default)
                writer.leave()
              }
            }
            """))
  }

  @Test func `a record is called on disk as its struct unless it says otherwise`() {
    #expect(
      Expansion(of: "@Record struct `Default`: Record {}").text.contains(
        "static var recordName: Swift.String {\n    \"Default\"\n  }"))
    #expect(!Expansion(of: "@Record(nil) struct A: Record {}").text.contains("formerNames"))
  }

  @Test func `a record may have no fields`() {
    let text = Expansion(of: "@Record struct A: Record { static let n = 1; var m: Int { 2 } }").text
    #expect(text.contains("types.record(Self.self) { _ in"))
    #expect(text.contains("try reader.begin(0)"))
  }

  @Test func `a name on disk is written as a literal that means it`() {
    let text = Expansion(of: #"@Record("a\"b\\c\u{e}e\u{301}") struct A: Record {}"#).text
    #expect(text.contains(#""a\"b\\c\u{e}e\u{301}""#))
  }

  @Test func `a public record gets an initializer as Swift writes it for its module`() {
    let text = Expansion(
      of: """
        @Record public struct A: Record {
          public var a, b: Int
          public var c: Int?
          public let d: Int?
          public var `in`: [Int] = [1]
        }
        """
    ).text
    #expect(
      text.contains("public init(a: Int, b: Int, c: Int? = nil, d: Int?, `in`: [Int] = [1]) {"), "\(text)")
    for field in ["a", "b", "c", "d"] { #expect(text.contains("self.\(field) = \(field)\n")) }
  }

  @Test func `an initializer reads a field that is called as the keyword await`() {
    let text = Expansion(of: "@Record public struct A: Record { public var await: Int }").text
    #expect(text.contains("public init(`await`: Int) {"), "\(text)")
    #expect(text.contains("self.`await` = `await`\n"), "\(text)")
  }

  @Test(arguments: ["", "internal ", "fileprivate "])
  func `a record that no other module sees gets no initializer`(access: String) {
    #expect(!Expansion(of: "@Record \(access)struct A: Record { var n: Int }").text.contains("init(n"))
  }

  @Test func `a record with an initializer of its own gets none`() {
    let text = Expansion(
      of: "@Record public struct A: Record { public var n: Int; public init(_ n: Int) { self.n = n } }"
    ).text
    #expect(!text.contains("init(n: Int)"))
    #expect(text.contains("public init(from reader"))
  }

  @Test(arguments: ["public", "package"])
  func `the generated code of a record is as visible as the record`(access: String) {
    let text = Expansion(
      of: "@Record(formerly: [\"B\"], reserved: [\"c\"]) \(access) struct A: Record { var n: Int }"
    ).text
    for member in [
      "static var recordName", "static var formerNames", "static var reservedNames", "static func shape",
      "init(from reader", "func encode(into", "init(n: Int)",
    ] {
      #expect(text.contains("\(access) \(member)"), "\(member)")
    }
  }

  @Test func `a property with observers is stored and one with code is not`() {
    let text = Expansion(
      of:
        "@Record struct A: Record { var a: Int { didSet { print(a) } }; var b: Int { get { 1 } set {} }; var c: Int { 1 } }"
    ).text
    #expect(text.contains("Annals.FieldShape(\"a\""))
    #expect(!text.contains("Annals.FieldShape(\"b\"") && !text.contains("Annals.FieldShape(\"c\""))
  }
}
