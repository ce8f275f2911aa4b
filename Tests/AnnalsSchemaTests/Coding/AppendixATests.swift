import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The examples of RFC 8949, appendix A. The file lies outside the package: skipped where it is absent.
@Suite(.enabled(if: SharedData.isThere, "needs ../shared/data"))
struct AppendixATests {
  /// One example of the file; `decoded` is JSON of its own and is compared as diagnostic text.
  struct Example: Decodable {
    let hex: String
    let roundtrip: Bool
    let diagnostic: String?
    let decoded: Decoded?
  }

  /// A JSON value of any kind, read by the platform's decoder.
  enum Decoded: Decodable {
    case bool(Bool), integer(Int64), unsigned(UInt64), number(Double), text(String), array([Decoded])
    case map([String: Decoded]), null

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let bool = try? value.decode(Bool.self) {
        self = .bool(bool)
      } else if let number = try? value.decode(Int64.self) {
        self = .integer(number)
      } else if let number = try? value.decode(UInt64.self) {
        self = .unsigned(number)
      } else if let number = try? value.decode(Double.self) {
        self = .number(number)
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else if let array = try? value.decode([Decoded].self) {
        self = .array(array)
      } else {
        self = .map(try value.decode([String: Decoded].self))
      }
    }

    /// Whether `value` equals this JSON; JSON does not distinguish 1.0 from 1.
    func matches(_ value: CBOR) -> Bool {
      switch (self, value) {
      case (.bool(let wanted), .bool(let found)): wanted == found
      case (.integer(let wanted), .unsigned(let found)): wanted >= 0 && UInt64(wanted) == found
      case (.integer(let wanted), .negative(let found)): wanted < 0 && UInt64(~wanted) == found
      case (.integer(let wanted), .double(let found)): Double(wanted) == found
      case (.unsigned(let wanted), .unsigned(let found)): wanted == found
      case (.number(let wanted), .double(let found)): wanted == found
      // Bignums and −2^64 are beyond the platform decoder's integers.
      case (.number(let wanted), .tagged(2, .bytes(let found))):
        wanted == 18446744073709551616 && found == [1, 0, 0, 0, 0, 0, 0, 0, 0]
      case (.number(let wanted), .tagged(3, .bytes(let found))):
        wanted == -18_446_744_073_709_551_616 && found == [1, 0, 0, 0, 0, 0, 0, 0, 0]
      case (.number(let wanted), .negative(let found)):
        wanted == -18446744073709551616 && found == .max
      case (.text(let wanted), .text(let found)): wanted == found
      case (.array(let wanted), .array(let found)):
        wanted.count == found.count && zip(wanted, found).allSatisfy { $0.matches($1) }
      case (.map(let wanted), .map(let found)):
        wanted.count == found.count
          && wanted.allSatisfy { key, each in value[key].map(each.matches) ?? false }
      case (.null, .null): true
      default: false
      }
    }
  }

  static let examples: [Example] = {
    guard let bytes = try? SharedData.bytes("cbor/appendix_a.json") else { return [] }
    return (try? JSONDecoder().decode([Example].self, from: Data(bytes))) ?? []
  }()

  @Test func `all 82 examples are there`() {
    #expect(Self.examples.count == 82)
  }

  @Test(arguments: examples.filter { $0.hex != "f818" })
  func `an example decodes to what the standard says`(example: Example) throws {
    let value = try CBOR(decoding: hex(example.hex))
    if let diagnostic = example.diagnostic {
      #expect(Self.diagnostic(value) == diagnostic.replacing("(_ h'0102', h'030405')", with: "h'0102030405'"))
    } else {
      #expect(example.decoded?.matches(value) ?? (value == .null))
    }
  }

  @Test(arguments: examples.filter { $0.roundtrip && $0.hex != "f818" })
  func `an example that round-trips is written as the same bytes`(example: Example) throws {
    #expect(hex(try CBOR(decoding: hex(example.hex)).encoded()) == example.hex)
  }

  @Test func `a simple value below 32 in two bytes is not well-formed`() {
    #expect(throws: CodingFailure(.malformed, at: 0)) { try CBOR(decoding: hex("f818")) }
  }

  private static func diagnostic(_ value: CBOR) -> String {
    switch value {
    case .unsigned(let number): "\(number)"
    case .negative(let number): "-\(number + 1)"
    case .bytes(let bytes): "h'\(hex(bytes))'"
    case .text(let text): "\"\(text)\""
    case .array(let elements): "[\(elements.map(diagnostic).joined(separator: ", "))]"
    case .map(let pairs):
      "{\(pairs.map { "\(diagnostic($0.key)): \(diagnostic($0.value))" }.joined(separator: ", "))}"
    case .tagged(let tag, let value): "\(tag)(\(diagnostic(value)))"
    case .bool(let flag): "\(flag)"
    case .null: "null"
    case .undefined: "undefined"
    case .simple(let number): "simple(\(number))"
    case .double(let number):
      number.isNaN ? "NaN" : number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
    }
  }
}
