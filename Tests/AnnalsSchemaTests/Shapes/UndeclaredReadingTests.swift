import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

/// Which keys of a payload by name a shape passes over.
struct UndeclaredReadingTests {
  private static let shape =
    "(name: text, place: (lat: double)?, tags: [(key: text)], prices: [text: (amount: int64)], byDay: [int64: (note: text)], kind: <none | card(number: text)>, other: codable)"

  private func undeclared(_ map: CBOR) throws -> [String] {
    let bytes = try map.encodedPayload()
    let form = NamedForm(try RecordShape(parsing: Self.shape))
    var output: [UInt8] = []
    try form.read(bytes.span, to: &output)
    return try form.undeclared(in: bytes.span).map { $0.map(\.text).joined(separator: ".") }.sorted()
  }

  private static let whole: CBOR = [
    "name": "a", "place": ["lat": 1.5], "tags": [["key": "x"]], "prices": ["EUR": ["amount": 1]],
    "byDay": [[1, ["note": "n"]]], "kind": ["card": ["number": "7"]], "other": ["free": 1],
  ]

  @Test func `a payload that a shape has as a whole has none`() throws {
    #expect(try undeclared(Self.whole) == [])
  }

  @Test func `keys are found at every depth, in arrays, dictionaries and cases`() throws {
    let map: CBOR = [
      "name": "a", "Name": 1, "place": ["lat": 1.5, "lon": 2],
      "tags": [["key": "x", "a": 1], ["key": "y", "a": [1]]],
      "prices": ["EUR": ["amount": 1, "tax": 2]], "byDay": [[1, ["note": "n", "z": CBOR.null]]],
      "kind": ["card": ["number": "7", "cvc": 1], "cash": 2], "other": ["free": 1],
    ]
    #expect(
      try undeclared(map) == [
        "Name", "byDay.z", "kind.card.cvc", "kind.cash", "place.lon", "prices.tax", "tags.a", "tags.a",
      ])
  }

  @Test func `every key that reading passes over is found, in generated payloads`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for round in 0..<500 {
      guard case .map(var pairs) = Self.whole else { return }
      var added: [String] = []
      func spoil(_ pairs: inout [CBOR.Pair], _ path: String) {
        for index in pairs.indices {
          guard case .text(let key) = pairs[index].key, key != "other", key != "prices", key != "kind",
            case .map(var inner) = pairs[index].value
          else { continue }
          spoil(&inner, "\(path)\(key).")
          pairs[index].value = .map(inner)
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
          let key = "x\(Int.random(in: 0...9, using: &random))"
          guard !pairs.contains(where: { $0.key == .text(key) }) else { continue }
          pairs.append(CBOR.Pair(.text(key), .unsigned(1)))
          added.append(path + key)
        }
      }
      spoil(&pairs, "")
      #expect(try undeclared(.map(pairs)) == added.sorted(), "seed \(seed), round \(round)")
    }
  }

  @Test func `keys that are not written again are found regardless of the order of elements`() throws {
    let before: CBOR = ["a": 1, "list": [["x": 1, "y": 2], ["x": 3]], "gone": ["in": 1], "nil": CBOR.null]
    let after: CBOR = ["a": 9, "list": [["x": 3], ["x": 1]], "new": 1]
    let (old, new) = (try before.encodedPayload(), try after.encodedPayload())
    let missing = try KeyPaths(of: old.span).missing(from: KeyPaths(of: new.span))
    #expect(missing.map { $0.map(\.text).joined(separator: ".") } == ["gone", "list.y"])
  }

  @Test func `names keep dots and commas apart`() {
    let field = UndeclaredField(
      type: "issues.opened", version: nil, path: ["a.b", "c,d", "e\\"], count: 1, firstPosition: 1)
    #expect(field.name == #"issues.opened.a\.b.c\,d.e\\"#)
    #expect(UndeclaredField.names(in: "T.x,\(field.name),T.y") == ["T.x", field.name, "T.y"])
  }
  @Test func `a name may spell a character out, and a doubled backslash is one of the name`() {
    #expect(UndeclaredField.exact(#"T.\u{feff}id.e\u{301}\,\\\."#).text == "T.\u{feff}id.e\u{301}\\,\\\\\\.")
    for name in [#"T.\\u{65}"#, #"T.\u{zz}"#, #"T.\u{d800}"#, #"T.\u{65"#, "T.\\", "T.\\u", "é"] {
      #expect(UndeclaredField.exact(name).text == name)
    }
    let (composed, decomposed) = ("T.\u{e9}", "T.e\u{301}")
    #expect(UndeclaredField.ascii(composed) != UndeclaredField.ascii(decomposed))
    for name in [composed, decomposed, #"T.\\u{65}"#, "T.👩\u{200d}👧"] {
      #expect(UndeclaredField.exact(UndeclaredField.ascii(name)).text.utf8.elementsEqual(name.utf8))
    }
  }
}
