import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

struct ShapeProblemTests {
  @Test(
    arguments: [
      ("()", nil), ("(a: text, next: ^0?, more: [^0])", nil),
      ("(a: <leaf | node(left: ^0, right: ^0)>)", nil),
      ("(a: text, a: text)", "a: two fields have this name"),
      ("(r: (a: text, a: text))", "r.a: two fields have this name"),
      ("(k: <a | a>)", "k.a: two cases have this name"),
      ("(k: <a(x: text, x: text)>)", "k.a.x: two fields have this name"),
      ("(\"e\u{301}\": text, \"\u{e9}\": text)", "\u{e9}: two fields have names that look alike"),
      ("(a: text??)", "a: it is an optional of an optional"),
      ("(a: ^1?)", "a: it refers to a type 1 levels out, but stands in 1"),
      ("(a: <>)", "a: it is a choice without cases"),
      ("(a: ^0)", ": every value of it contains another one"),
      ("(a: (b: ^0))", "a: every value of it contains another one"),
      ("(k: <a(k: ^0) | b(k: ^0)>)", "k: every value of it contains another one"),
    ] as [(String, String?)])
  func `a shape that cannot be stored says where and why`(text: String, problem: String?) throws {
    let problems = try RecordShape(parsing: text).problems()
    guard let problem else {
      #expect(problems == [])
      return
    }
    #expect(
      problems.contains { "\($0.field): \($0.description)".utf8.starts(with: problem.utf8) }, "\(problems)")
    #expect(problems.allSatisfy { $0.description.contains(": ") })
  }

  @Test func `a record that holds itself through another is reported once at the outer one`() throws {
    let problems = try RecordShape(parsing: "(a: (b: ^1))").problems()
    #expect(problems.map(\.field) == [""])
  }

  @Test func `an optional in several others is reported once`() throws {
    #expect(try RecordShape(parsing: "(a: text???)").problems().map(\.field) == ["a"])
  }

  @Test func `too many parts and too long a text are reported`() {
    let many = RecordShape((0..<10_001).map { FieldShape("a\($0)", .text) })
    #expect(many.problems().contains { $0.description.contains("divide it") })
    let long = RecordShape([FieldShape(String(repeating: "a", count: 65_536), .text)])
    #expect(long.problems().contains { $0.description.contains("shorter names") })
  }

  @Test func `a type nested too deep is reported`() {
    let deep = (0..<70).reduce(ValueShape.text) { shape, _ in .list(shape) }
    #expect(
      RecordShape([FieldShape("a", deep)]).problems().contains { $0.description.contains("make it flatter") })
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a random shape has no problem`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let shape = RecordShape.random(using: &generator)
      #expect(shape.problems() == [], "\(shape.text)")
    }
  }

  @Test(arguments: 20...70)
  func `a shape without problems is read back from its text, however deep`(depth: Int) throws {
    let nestings: [(ValueShape) -> ValueShape] = [
      { .list($0) }, { .record([FieldShape("a", $0)]) },
      { .choice([CaseShape("none"), CaseShape("a", [FieldShape("b", $0)])]) }, { .list(.optional($0)) },
    ]
    for nest in nestings {
      let shape = RecordShape([
        FieldShape("a", (0..<depth).reduce(ValueShape.text) { inner, _ in nest(inner) })
      ])
      if shape.problems().isEmpty {
        let parsed = try RecordShape(parsing: shape.text)
        #expect(parsed == shape)
      } else {
        #expect(throws: ShapeFailure.self) { try RecordShape(parsing: shape.text) }
      }
    }
  }
}
