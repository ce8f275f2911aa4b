import Testing

@testable import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct PayloadCoderTests {
  struct SetLogged: Codable, Equatable {
    var title: String
    var reps: Int
    var sets: Int
    var weight: Double
    var notes: String?
    var at: Double
  }
  typealias Wanted = any (Decodable & SendableMetatype).Type

  static let set = SetLogged(
    title: "Bench press", reps: 8, sets: 3, weight: 82.5, notes: "felt good", at: 1732147200.123)

  struct Everything: Codable, Equatable {
    var bool = true
    var int8 = Int8.min, int16 = Int16.min, int32 = Int32.min, int64 = Int64.min, int = Int.max
    var uint8 = UInt8.max, uint16 = UInt16.max, uint32 = UInt32.max, uint64 = UInt64.max, uint = UInt.max
    var int128: Int128 = -18_446_744_073_709_551_616
    var uint128: UInt128 = 18_446_744_073_709_551_615
    var float = Float(0.1), double = 0.1, small = 1.5
    var text = "naïve \u{0} 🏏", none: String?, some: Int? = 3
    var data = Data([1, 2, 3]), bytes: [UInt8] = [4, 5],
      id = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")
    var date = Date(timeIntervalSinceReferenceDate: 1.25)
    var url = URL(string: "https://example.org/a?b=c"), price = Decimal(string: "12345678901234567890.12")
    var numbers: Set<Int> = [300, 1, 20], names: Set<String> = ["b", "aa", "a"]
    var byNumber: [Int: String] = [10: "x", 2: "y"], byText: [String: Int] = ["aa": 1, "b": 2]
    var nested: [[Int: Bool]?] = [[1: true], nil],
      list: [Shape] = [.circle(radius: 1.5), .empty, .pair(1, "x")]
    var maybe: [Int?] = [1, nil]
  }
  enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case pair(Int, String)
    case empty
  }

  class Base: Codable {
    var id = 1
  }
  final class Derived: Base {
    var name = "n"
    enum CodingKeys: CodingKey {
      case name
    }
    override init() { super.init() }
    init(name: String) {
      self.name = name
      super.init()
    }
    required init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      name = try values.decode(String.self, forKey: .name)
      try super.init(from: values.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try super.encode(to: values.superEncoder())
      try values.encode(name, forKey: .name)
    }
  }

  /// Fills two nested containers by turns, as `Codable` allows.
  struct Interleaved: Codable, Equatable {
    var left = [1, 2]
    var right = ["a": 3]
    enum CodingKeys: CodingKey { case zleft, right }

    init() {}
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      var list = try values.nestedUnkeyedContainer(forKey: .zleft)
      left = []
      while !list.isAtEnd {
        left.append(try list.decode(Int.self))
      }
      right = [
        "a": try values.nestedContainer(keyedBy: NamedKey.self, forKey: .right).decode(
          Int.self, forKey: NamedKey(stringValue: "a"))
      ]
    }
    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      var list = values.nestedUnkeyedContainer(forKey: .zleft)
      try list.encode(1)
      var map = values.nestedContainer(keyedBy: NamedKey.self, forKey: .right)
      try map.encode(3, forKey: NamedKey(stringValue: "a"))
      try list.encode(2)
    }
  }

  private func decode<T: Decodable>(_ type: T.Type, _ value: CBOR) throws -> T {
    try PayloadDecoder.decode(type, from: value.encodedPayload())
  }

  private func failure(_ body: () throws -> Void) -> CodingFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? CodingFailure
    }
  }

  @Test func `a record is a map by its keys`() throws {
    let value: CBOR = [
      "title": "Bench press", "reps": 8, "sets": 3, "weight": 82.5, "notes": "felt good",
      "at": 1732147200.123,
    ]
    #expect(try PayloadEncoder.encode(Self.set) == value.encodedPayload())
    #expect(try decode(SetLogged.self, value) == Self.set)
  }

  @Test func `an absent optional leaves no key`() throws {
    var set = Self.set
    set.notes = nil
    let bytes = try PayloadEncoder.encode(set)
    #expect(try CBOR(payload: bytes)["notes"] == nil)
    #expect(try PayloadDecoder.decode(SetLogged.self, from: bytes) == set)
  }

  @Test func `null is an absent optional, and unknown keys are passed over`() throws {
    let value: CBOR = [
      "title": "", "reps": -1, "sets": 0, "weight": 1, "notes": .null, "at": 0.0, "more": [1, ["x": .null]],
    ]
    #expect(
      try decode(SetLogged.self, value)
        == SetLogged(title: "", reps: -1, sets: 0, weight: 1, notes: nil, at: 0))
  }

  @Test func `every kind of field is read back`() throws {
    let bytes = try PayloadEncoder.encode(Everything())
    try PayloadCheck.validate(bytes.span)
    #expect(try PayloadDecoder.decode(Everything.self, from: bytes) == Everything())
  }

  @Test func `super and nested containers filled by turns are read back`() throws {
    let derived = try PayloadDecoder.decode(Derived.self, from: PayloadEncoder.encode(Derived(name: "d")))
    #expect(derived.name == "d" && derived.id == 1)
    let bytes = try PayloadEncoder.encode(Interleaved())
    #expect(hex(bytes) == "a2" + "657269676874a1616103" + "657a6c656674820102")
    #expect(try PayloadDecoder.decode(Interleaved.self, from: bytes) == Interleaved())
  }

  @Test(
    arguments: [
      (Data([1, 2]), "420102"), ([9] as [UInt8], "4109"),
      (UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"), "5000112233445566778899aabbccddeeff"),
      (Date(timeIntervalSinceReferenceDate: 0.5), "f93800"),
      (Date(timeIntervalSinceReferenceDate: 700000000.123), "fb41c4dc93800fbe77"),
      (URL(string: "a:b"), "63613a62"), (Decimal(string: "-1.50"), "642d312e35"),
      (Set([300, 1, 20, -1]), "8401" + "14" + "19012c" + "20"), (Set(["b", "aa"]), "82" + "6162" + "626161"),
      ([10: "x", 2: "y"], "82" + "82026179" + "820a6178"),
      (["b": 2, "aa": 1, "c": 3], "a3" + "616202" + "616303" + "62616101"),
      ([[Int?: Int]?.some([nil: 1])], "81" + "81" + "82f601"), (Float(82.5), "f95528"),
      (Float(0.1), "fa3dcccccd"),
      (Shape.empty, "a165656d707479a0"), (UInt64.max, "1bffffffffffffffff"),
      ([String: Int](), "a0"), ([Int: Int](), "80"), (Int?.none, "f6"),
    ] as [(any Encodable & Sendable, String)])
  func `a special type has exactly these bytes`(value: any Encodable & Sendable, digits: String) throws {
    #expect(hex(try PayloadEncoder.encode(value)) == digits)
  }

  @Test func `JSON forms of the special types are accepted`() throws {
    #expect(try decode(Date.self, "2001-01-01T00:00:01.5Z") == Date(timeIntervalSinceReferenceDate: 1.5))
    #expect(try decode(Date.self, 2) == Date(timeIntervalSinceReferenceDate: 2))
    #expect(try decode(UUID.self, "00112233-4455-6677-8899-aabbccddeeff") == Everything().id)
    #expect(try decode(Data.self, "AQID") == Data([1, 2, 3]))
    #expect(try decode([UInt8].self, "AQID") == [1, 2, 3])
    #expect(try decode(Double.self, 3) == 3)
    #expect(try decode(Double.self, .negative(.max)) == -0x1p64)
    #expect(try decode(Set<Int>.self, [3, 1]) == [1, 3])
  }

  @Test(
    arguments: [
      (Int8.self, CBOR(128), .outOfRange),
      (UInt.self, CBOR(-1), .outOfRange),
      (Int.self, CBOR.negative(.max), .outOfRange),
      (Int.self, CBOR(1.0), .wrongType),
      (Double.self, CBOR(9_007_199_254_740_993), .outOfRange),
      (Float.self, CBOR(0.1), .outOfRange),
      (Float.self, CBOR(16_777_217), .outOfRange),
      (UUID.self, CBOR.bytes([1]), .refused),
      (UUID.self, CBOR("x"), .refused),
      (Data.self, CBOR("A"), .refused),
      (Date.self, CBOR("2001-02-30"), .outOfRange),
      (Decimal.self, CBOR("12abc"), .refused),
      (Decimal.self, CBOR("0.1234567890123456789012345678901234567890123"), .outOfRange),
      (Set<String>.self, (["\u{e9}", "e\u{301}"] as CBOR), .duplicateKey),
      ([String: Int].self, (["\u{e9}": 1, "e\u{301}": 2] as CBOR), .duplicateKey),
      ([Int: Int].self, ([[1, 1], [1, 2]] as CBOR), .duplicateKey),
      ([Int: Int].self, ([[1, 1, 1]] as CBOR), .wrongType),
      ([Int].self, ([:] as CBOR), .wrongType),
    ] as [(Wanted, CBOR, CodingFailure.Reason)])
  func `values that the type cannot hold exactly are refused`(
    type: Wanted, value: CBOR, reason: CodingFailure.Reason
  ) {
    #expect(failure { _ = try decode(type, value) }?.reason == reason)
  }

  @Test(arguments: [UInt128.max, 1 << 64, UInt128.max - 5])
  func `an integer beyond 64 bits is not written`(number: UInt128) {
    #expect(failure { _ = try PayloadEncoder.encode(number) }?.reason == .outOfRange)
    #expect(failure { _ = try PayloadEncoder.encode(["a": Int128.min]) }?.path == ["a"])
  }

  @Test func `a failure names the path`() throws {
    struct Team: Codable {
      var sets: [SetLogged]
    }
    var item: CBOR = ["title": "", "reps": 1, "sets": 0, "weight": 1, "at": 0.0]
    let good = item
    item["reps"] = "eight"
    let failure = failure { _ = try decode(Team.self, ["sets": [good, item]]) }
    #expect(failure?.path == ["sets", "1", "reps"])
    #expect(failure?.reason == .wrongType)
    item["reps"] = nil
    #expect(
      self.failure { _ = try decode(Team.self, ["sets": [good, item]]) }?.path == ["sets", "1", "reps"])
    #expect(self.failure { _ = try decode(Team.self, ["sets": [good, item]]) }?.reason == .missingKey)
  }

  @Test func `a failure of the type's own code is wrapped with its path and without values`() throws {
    struct Grade: Codable {
      enum Level: String, Codable { case high, low }
      var level: Level
    }
    let failure = failure { _ = try decode(Grade.self, ["level": "secret"]) }
    #expect(failure?.reason == .refused)
    #expect(failure?.path == ["level"])
    #expect(failure.map { "\($0)".contains("secret") } == false)
  }

  @Test func `a value nested too deep is refused before the stack is`() {
    indirect enum Chain: Codable {
      case end
      case link(Chain)
    }
    var chain = Chain.end
    for _ in 0..<1000 {
      chain = .link(chain)
    }
    #expect(failure { _ = try PayloadEncoder.encode(chain) }?.reason == .tooDeep)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `damaged bytes are decoded or refused`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let good = try PayloadEncoder.encode(Everything())
    for _ in 0..<200 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      if let value = try? PayloadDecoder.decode(Everything.self, from: bytes) {
        let again = try PayloadDecoder.decode(Everything.self, from: PayloadEncoder.encode(value))
        #expect(try PayloadEncoder.encode(again) == PayloadEncoder.encode(value))
      }
    }
  }

  @Test func `a NaN keeps its bits through Float and Double`() throws {
    let float = Float(bitPattern: 0xff80_0001)
    #expect(
      try PayloadDecoder.decode(Float.self, from: PayloadEncoder.encode(float)).bitPattern == 0xff80_0001)
    let double = Double(bitPattern: 0x7ff0_0000_0000_0001)
    #expect(
      try PayloadDecoder.decode(Double.self, from: PayloadEncoder.encode(double)).bitPattern
        == double.bitPattern)
  }
}
