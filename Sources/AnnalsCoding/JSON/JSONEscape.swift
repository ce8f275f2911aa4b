#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A key that, alone in its object, marks a value that JSON cannot express: `$bytes` or `$double`, or one of
/// these after more `$`.
struct JSONEscape {
  private enum Word {
    case bytes, double
  }
  private let word: Word
  /// The number of `$`: one for the word itself, more for a user's own key.
  let depth: Int

  /// Creates the escape for `key`; `nil` for every other key.
  init?(_ key: String) {
    guard key.utf8.first == UInt8(ascii: "$") else { return nil }
    let name = key.utf8.drop { $0 == UInt8(ascii: "$") }
    if name.elementsEqual("bytes".utf8) {
      word = .bytes
    } else if name.elementsEqual("double".utf8) {
      word = .double
    } else {
      return nil
    }
    depth = key.utf8.count - name.count
  }

  /// The failure if the value does not fit the word.
  var failure: JSONFailure.Reason { word == .bytes ? .bytes : .double }

  /// Returns the value that `text` has under this word; `nil` if it has none.
  func value(_ text: String) -> CBOR? {
    switch word {
    case .bytes: return Base64.bytes(text).map { .bytes($0) }
    case .double:
      switch text {
      case "NaN": return .double(.nan)
      case "Infinity": return .double(.infinity)
      case "-Infinity": return .double(-.infinity)
      default:
        guard text.utf8.count == 16, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }),
          let bits = UInt64(text, radix: 16), Double(bitPattern: bits).isNaN
        else { return nil }
        return .double(Double(bitPattern: bits))
      }
    }
  }

  /// Returns the text under `$double` for a number that is not finite.
  ///
  /// A NaN with unusual bits is written by its bits, so that it is preserved.
  static func text(ofNotFinite number: Double) -> String {
    if number.isInfinite {
      return number < 0 ? "-Infinity" : "Infinity"
    }
    guard number.bitPattern != Double.nan.bitPattern else { return "NaN" }
    let digits = String(number.bitPattern, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
