import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

struct ShapeTextTests {
  /// The shape that has every kind of type once.
  static let workout = RecordShape([
    FieldShape("title", .text),
    FieldShape("kilograms", originalName: "weight", .double),
    FieldShape("notes", .optional(.text)),
    FieldShape("sets", .list(.record([FieldShape("reps", .integer(.int64))]))),
    FieldShape("tags", .set(.text)),
    FieldShape("byDay", .map(.date, .integer(.int64))),
    FieldShape(
      "kind", .choice([CaseShape("warmup"), CaseShape("weight", [FieldShape("kg", .double)])])),
    FieldShape("next", .optional(.enclosing(0))),
  ])

  // The fingerprints were computed with Python's hashlib.sha256 from the texts next to them.
  @Test(
    arguments: [
      (RecordShape([]), "()", "2e38e77b22c314a449e91fafed92a43826ac6aa403ae6a8acb6cf58239fbaf5d"),
      (
        workout,
        "(title: text, kilograms(weight): double, notes: text?, sets: [(reps: int64)], tags: {text}, byDay: [date: int64], kind: <warmup | weight(kg: double)>, next: ^0?)",
        "dfd252c8a676971906ae8710fc0254485261a1c8cd101e0ca850e64ebf1342be"
      ),
      (
        RecordShape([
          FieldShape("a b", originalName: "\"\\\n", .bytes), FieldShape("e\u{301}", .url),
          FieldShape("\u{e9}", .uuid), FieldShape("", .decimal), FieldShape("1", .codable),
        ]),
        "(\"a b\"(\"\\\"\\\\\\u000a\"): bytes, \"e\u{301}\": url, \"\u{e9}\": uuid, \"\": decimal, \"1\": codable)",
        "bc96bebe13d5fe5740f2aebe9c46978fdaaeba555bedd96599b37ec58862e341"
      ),
      (
        RecordShape([
          FieldShape("f", .float), FieldShape("b", .bool), FieldShape("s", .integer(.int8)),
          FieldShape("u", .integer(.uint16)), FieldShape("none", .choice([])),
        ]), "(f: float, b: bool, s: int8, u: uint16, none: <>)",
        "298f274919ada3e72978656293a9edeebf6d8e9968b1ea24fbb105a4bae79d03"
      ),
    ])
  func `a shape has one text and one fingerprint`(shape: RecordShape, text: String, fingerprint: String)
    throws
  {
    #expect(shape.text.utf8.elementsEqual(text.utf8))
    #expect(hex(shape.fingerprint) == fingerprint)
    let parsed = try RecordShape(parsing: text)
    #expect(parsed == shape)
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `a random shape is read back from its text`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let shape = RecordShape.random(using: &generator)
      let parsed = try RecordShape(parsing: shape.text)
      #expect(parsed == shape)
      #expect(parsed.text.utf8.elementsEqual(shape.text.utf8))
    }
  }

  @Test(
    arguments: [
      ("", .truncated, 0), ("(", .truncated, 1), ("(a", .truncated, 2), ("(a: ", .truncated, 4),
      ("(a: text", .truncated, 8), ("(\"a", .truncated, 3), ("(\"a\\", .truncated, 4),
      ("text", .unexpected, 0), ("(: text)", .name, 1), ("(a: )", .unexpected, 4), ("(a: string)", .type, 4),
      ("(a: text,b: text)", .unexpected, 8), ("()()", .trailing, 2), ("() ", .trailing, 2),
      ("(a: [text)", .unexpected, 9), ("(a: ^)", .unexpected, 5), ("(a: ^123)", .unexpected, 7),
      ("(a: <a(b: text)", .truncated, 15), ("(\"\\q\": text)", .name, 2), ("(a(): text)", .name, 3),
      ("(\"a\": text)", .notCanonical, 1), ("(a: <b()>)", .notCanonical, 6), ("(1: text)", .notCanonical, 1),
      ("(a: ^00)", .notCanonical, 6), ("(\"\\u00e9\": text)", .notCanonical, 2),
      ("(\"\\n\": text)", .notCanonical, 3),
    ] as [(String, ShapeFailure.Reason, Int)])
  func `a text that is no shape's is refused with reason and offset`(
    text: String, reason: ShapeFailure.Reason, offset: Int
  ) {
    #expect(throws: ShapeFailure(reason: reason, offset: offset)) { try RecordShape(parsing: text) }
  }

  @Test(arguments: ["[", "{", "(a: ", "<a(a: ", "[text: "])
  func `types nested too deep are refused without entering them`(open: String) {
    let text = "(a: " + String(repeating: open, count: 20_000)
    let short = "(a: " + String(repeating: open, count: 5_000)
    #expect { try RecordShape(parsing: short) } throws: { ($0 as? ShapeFailure)?.reason == .tooDeep }
    #expect { try RecordShape(parsing: text) } throws: {
      [.tooDeep, .tooLarge].contains(($0 as? ShapeFailure)?.reason)
    }
  }

  @Test func `question marks without end are refused`() {
    let text = "(a: text" + String(repeating: "?", count: 60_000)
    #expect { try RecordShape(parsing: text) } throws: { ($0 as? ShapeFailure)?.reason == .tooDeep }
  }

  @Test func `a text with too many parts or bytes is refused`() {
    let many = "(" + (0..<6_000).map { "a\($0): url" }.joined(separator: ", ") + ")"
    #expect { try RecordShape(parsing: many) } throws: { ($0 as? ShapeFailure)?.reason == .tooLarge }
    let cases = "(a: <" + (0..<12_000).map { _ in "a" }.joined(separator: " | ") + ">)"
    #expect { try RecordShape(parsing: cases) } throws: { ($0 as? ShapeFailure)?.reason == .tooMany }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a damaged text is read or refused, and the shape that is read is written the same`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let symbols = [UInt8]("(): ,[]{}<>|^?\"\\au0é".utf8)
    for _ in 0..<300 {
      var bytes = [UInt8](RecordShape.random(using: &generator).text.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = symbols.randomElement(using: &generator) ?? 0
        case 1: bytes.insert(symbols.randomElement(using: &generator) ?? 0, at: place)
        default: bytes = bytes.count > 1 ? [UInt8](bytes[..<place]) + bytes[(place + 1)...] : bytes
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      do {
        let shape = try RecordShape(parsing: text)
        #expect(shape.text.utf8.elementsEqual(text.utf8))
      } catch {
        #expect((0...text.utf8.count).contains(error.offset))
      }
    }
  }
}
