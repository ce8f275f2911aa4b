import Testing

@testable import AnnalsCoding
@testable import AnnalsSchema
@testable import AnnalsShapes

@Suite struct PersonalShapeTests {
  @Test func `the text of a shape says which fields are personal, and whose`() throws {
    let shape = try #require(PersonalCustomersV1.Registered.recordShape)
    let text =
      "(customerID: int64, name: personal(customerID) text, birthday: personal(customerID) date?, city: text, address: personal(customerID) (street: text, number: int64))"
    #expect(shape.text == text)
    let parsed = try RecordShape(parsing: text)
    #expect(parsed == shape)
    #expect(parsed.fields.map(\.subject) == [nil, "customerID", "customerID", nil, "customerID"])
    #expect(parsed.fingerprint != shape.stored.fingerprint)
  }

  @Test(arguments: [
    "(a: personal(b) text)", "(a: personal(a) text)", "(a: personal(b) text, b: personal(c) text, c: text)",
    "(a: personal() text, b: text)", "(a: personal(b)text, b: text)", "(b: text, c: (a: personal(b) text))",
    "(a: personal(b), b: text)",
  ])
  func `a text with a subject that is no plain field of the record is refused`(text: String) {
    #expect(throws: ShapeFailure.self) { try RecordShape(parsing: text) }
  }

  @Test func `a personal field is stored as a choice of an encrypted value and a plain one`() throws {
    let shape = try #require(PersonalCustomersV1.Ordered.recordShape)
    #expect(
      shape.stored.text
        == "(id: text, total: int64, note: <plain(value: codable) | sealed(key: uint32, box: bytes)>?)")
  }

  @Test func `a field that becomes personal is another shape, and reads without a rule`() throws {
    let plain = try RecordShape(parsing: "(id: text, name: text)")
    let personal = try RecordShape(parsing: "(id: text, name: personal(id) text)")
    #expect(StoredShape(plain) != StoredShape(personal))
    #expect(ShapeComparison(from: plain, to: personal).conversion?.isSame == true)
  }

  @Test(arguments: [
    ("(a: double, b: text)", "an id is a text, a whole number, a UUID or Data"),
    ("(a: text?, b: text)", "an id is a text, a whole number, a UUID or Data"),
  ])
  func `the id of a person is a key`(text: String, problem: String) throws {
    let shape = try RecordShape(parsing: text)
    let fields = [
      shape.fields[0], FieldShape("b", .text, subject: "a"),
    ]
    let problems = RecordShape(fields).personalProblems
    #expect(problems.count == 1)
    #expect(problems.first?.contains("such an id is a text, a whole number, a UUID or Data") == true)
  }

  @Test func `a plan with personal fields that cannot be stored does not open`() {
    #expect(
      RecordShape([FieldShape("a", .text), FieldShape("b", .text, subject: "c")]).personalProblems.first?
        .contains("no field of the record") == true)
    #expect(
      RecordShape([FieldShape("a", .text), FieldShape("b", .text, subject: "a")]).personalProblems.first?
        .contains("write erased:") == true)
    let inner = FieldShape("c", .record([FieldShape("a", .text), FieldShape("b", .text, subject: "a")]))
    #expect(
      RecordShape([inner]).personalProblems.first?.contains("an event of their own") == true)
  }

  @Test func `a subject has one text, whatever type its id has`() throws {
    let form = try #require(
      PersonalForm(RecordShape([FieldShape("a", .integer(.int64)), FieldShape("b", .text, subject: "a")])))
    for (number, text) in [
      (0, "0"), (-1, "-1"), (Int.min, "-9223372036854775808"), (Int.max, "9223372036854775807"),
    ] {
      var writer = FieldWriter(continuing: [])
      try writer.begin(2)
      try writer.field(number)
      try writer.field("x")
      let payload = writer.finish()
      let ranges = try form.ranges(in: payload.span)
      #expect(try form.subject(of: form.fields[0], in: payload.span, ranges) == text)
    }
  }
}
