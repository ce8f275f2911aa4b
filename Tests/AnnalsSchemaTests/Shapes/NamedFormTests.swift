#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Testing

struct NamedFormTests {
  private enum Kind: Codable, Equatable {
    case warmup
    case weight(kg: Double, note: String?)
    case pair(Int, Int)
  }
  private enum Level: String, Codable { case low, high }
  private struct Place: Codable, Equatable {
    var lat: Double
    var lon: Double?
  }
  /// A type whose synthesised code reads and writes what the shape below writes by name.
  private struct Twin: Codable, Equatable {
    var title: String
    var at: Date
    var id: UUID
    var raw: Data
    var link: URL
    var price: Decimal
    var reps: Int16
    var notes: String?
    var kinds: [Kind]
    var level: Level
    var place: Place
    var tags: Set<String>
    var counts: [String: Int]
    var byDay: [Int: Float]
    var other: Place?
  }
  private static let shape =
    "(title: text, at: date, id: uuid, raw: bytes, link: url, price: decimal, reps: int16, notes: text?, kinds: [<warmup | weight(kg: double, note: text?) | pair(_0: int64, _1: int64)>], level: <low | high>, place: (lat: double, lon: double?), tags: {text}, counts: [text: int64], byDay: [int64: float], other: codable)"
  private static let id = [UInt8](0..<16)

  private func form(_ text: String) throws -> NamedForm { NamedForm(try RecordShape(parsing: text)) }

  private func read(_ text: String, _ map: CBOR) throws -> CBOR {
    let bytes = try map.encodedPayload()
    var output: [UInt8] = []
    try form(text).read(bytes.span, to: &output)
    return try CBOR(payload: output)
  }

  private func failure(_ text: String, _ map: CBOR) throws -> CodingFailure? {
    let bytes = try map.encodedPayload()
    let form = try form(text)
    var output: [UInt8] = [9]
    do {
      try form.read(bytes.span, to: &output)
      return nil
    } catch {
      #expect(output == [9])
      return error
    }
  }

  private static func positional() -> CBOR {
    [
      "Bench", 1.5, .bytes(id), .bytes([1, 2]), "https://a.example/", "12.5", -3, .null,
      [0, [1, 20.0, .null], [2, 7, 8]], 1, [1.5, .null], ["a", "bb"], ["k": 1], [[1, 0.5], [2, 1.5]],
      ["lat": 2.0, "lon": 3.0],
    ]
  }

  private static func twin() throws -> Twin {
    Twin(
      title: "Bench", at: Date(timeIntervalSinceReferenceDate: 1.5),
      id: try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F")), raw: Data([1, 2]),
      link: try #require(URL(string: "https://a.example/")), price: try #require(Decimal(string: "12.5")),
      reps: -3, notes: nil, kinds: [.warmup, .weight(kg: 20, note: nil), .pair(7, 8)], level: .high,
      place: Place(lat: 1.5, lon: nil), tags: ["a", "bb"], counts: ["k": 1], byDay: [1: 0.5, 2: 1.5],
      other: Place(lat: 2, lon: 3))
  }

  @Test func `a payload by shape is written as the Codable twin writes itself`() throws {
    let payload = try Self.positional().encodedPayload()
    var output: [UInt8] = []
    try form(Self.shape).write(payload.span, to: &output)
    let twin = try Self.twin()
    #expect(try output == PayloadEncoder.encode(twin))
    #expect(try PayloadDecoder.decode(Twin.self, from: output) == twin)
  }

  @Test func `the output of the Codable twin is read by shape`() throws {
    let written = try CBOR(payload: PayloadEncoder.encode(Self.twin()))
    #expect(try read(Self.shape, written) == Self.positional())
  }

  @Test(
    arguments: [
      ("date", "2001-01-01T00:00:01.5Z", 1.5), ("date", 7, 7.0), ("double", 7, 7.0), ("float", -2, -2.0),
      ("uuid", "00010203-0405-0607-0809-0A0B0C0D0E0F", .bytes([UInt8](0..<16))),
      ("bytes", "AQI=", .bytes([1, 2])),
      ("<a | b>", "b", 1), ("<a | b>", ["b": [:]], 1), ("<a | b(x: text)>", "a", 0),
      ("<a | b(x: text?)>", ["b": [:]], [1, .null]),
      ("<a | b>", ["b": ["zzz": 1], "zzz": 2], 1), ("text?", .null, .null),
      ("{int64}", [3, 1, 2], [1, 2, 3]),
      ("[int64: text]", [[2, "b"], [1, "a"]], [[1, "a"], [2, "b"]]), ("codable", .null, .null),
    ] as [(String, CBOR, CBOR)])
  func `JSON forms of a value are accepted`(type: String, value: CBOR, expected: CBOR) throws {
    #expect(try read("(a: \(type))", ["a": value]) == [expected])
  }

  @Test(
    arguments: [
      ("int8", 128, .outOfRange), ("int8", 1.0, .wrongType), ("uint8", -1, .outOfRange),
      ("double", .unsigned(.max), .outOfRange),
      ("float", 0.1, .outOfRange), ("bool", 1, .wrongType), ("text", .null, .wrongType),
      ("date", "yesterday", .malformed),
      ("uuid", "x", .refused), ("uuid", .bytes([1]), .refused), ("bytes", "!", .refused),
      ("decimal", "1x", .refused),
      ("<a | b>", "c", .refused), ("<a | b>", [:], .wrongType),
      ("<a | b>", ["a": [:], "b": [:]], .wrongType),
      ("<a | b(x: text)>", "b", .wrongType), ("<a | b>", 1, .wrongType), ("{int64}", [1, 1], .duplicateKey),
      ("[text]", ["a": 1], .wrongType), ("[int64: text]", [[1]], .wrongType),
      ("[int64: text]", [[1, "a"], [1, "b"]], .duplicateKey),
    ] as [(String, CBOR, CodingFailure.Reason)])
  func `a value that does not fit is refused at its path`(
    type: String, value: CBOR, reason: CodingFailure.Reason
  )
    throws
  {
    let failure = try #require(try failure("(a: \(type))", ["a": value]))
    #expect(failure.reason == reason)
    #expect(failure.path.first == "a")
    #expect(failure.offset >= 3)
  }

  @Test func `names that the shape does not have are passed over, and missing fields are nil or an error`()
    throws
  {
    let map: CBOR = ["b": 1, "zz": [1, 2], "": "x", "a1": ["q": 1]]
    #expect(try read("(c: text?, b: int64)", map) == [.null, 1])
    let failure = try #require(try failure("(r: (s: [(b: int64, needed: text)]))", ["r": ["s": [["b": 1]]]]))
    #expect(failure.reason == .missingKey)
    #expect(failure.path == ["r", "s", "0", "needed"])
  }

  @Test func `names that differ only in normalisation are different fields`() throws {
    let map: CBOR = ["e\u{301}": 1, "\u{e9}": 2]
    #expect(try read("(\"\u{e9}\": int64, \"e\u{301}\": int64)", map) == [2, 1])
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a value written by name is read back the same`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let shape = RecordShape.random(using: &generator)
      let form = NamedForm(shape)
      let payload = try shape.randomValue(using: &generator).encodedPayload()
      var named: [UInt8] = []
      try form.write(payload.span, to: &named)
      try PayloadCheck.validate(named.span)
      var back: [UInt8] = []
      try form.read(named.span, to: &back)
      #expect(back == payload, "\(shape.text) \(hex(payload))")
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `hostile payloads are read, written or refused`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let shape = RecordShape.random(using: &generator)
      let form = NamedForm(shape)
      let payload = try shape.randomValue(using: &generator).encodedPayload()
      var named: [UInt8] = []
      try form.write(payload.span, to: &named)
      for bytes in HostileBytes.variants(of: payload, using: &generator) {
        var output: [UInt8] = [5]
        do {
          try form.write(bytes.span, to: &output)
          try PayloadCheck.validate(output.span.extracting(1..<output.count))
        } catch {
          #expect(output == [5])
        }
      }
      for bytes in HostileBytes.variants(of: named, using: &generator) {
        var output: [UInt8] = [5]
        do {
          try form.read(bytes.span, to: &output)
          try PayloadCheck.validate(output.span.extracting(1..<output.count))
        } catch {
          #expect(output == [5])
        }
      }
    }
  }

  @Test func `names that would nest a payload too deep are refused`() throws {
    let form = try form("(k: <leaf | node(next: ^0)>)")
    // A case with a value is one array by shape, and two maps by name.
    func payload(_ levels: Int) throws -> [UInt8] {
      var value: CBOR = 0
      for _ in 1..<levels { value = [1, value] }
      return try CBOR.array([value]).encodedPayload()
    }
    let (deepest, deeper) = (try payload(64), try payload(97))
    var named: [UInt8] = []
    try form.write(deepest.span, to: &named)
    var back: [UInt8] = []
    try form.read(named.span, to: &back)
    #expect(back == deepest)
    var output: [UInt8] = []
    #expect { try form.write(deeper.span, to: &output) } throws: {
      ($0 as? CodingFailure)?.reason == .tooDeep
    }
  }
}
