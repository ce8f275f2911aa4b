internal import Annals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Converts values of a file to values of payloads. It refuses what would change in the conversion.
enum FieldValue {
  /// Returns the payload's form of a value; `nil` if the value is not of the type.
  ///
  /// Attachments are not converted here: their contents are stored apart.
  static func payload(_ value: SQLiteValue, as type: SwiftDataType) -> CBOR? {
    switch (type, value) {
    case (.int, .integer(let number)): CBOR(Int(number))
    case (.int, .real(let number)): Int(exactly: number).map { CBOR($0) }
    case (.bool, .integer(let number)) where number == 0 || number == 1: .bool(number == 1)
    case (.double, _), (.date, _): double(value).map { .double($0) }
    case (.decimal, _): decimal(value).map { .text($0) }
    case (.string, .text(let text)): .text(text)
    case (.uuid, .blob(let bytes)): bytes.count == 16 ? .bytes(bytes) : nil
    case (.uuid, .text(let text)): UUID(uuidString: text).map { .bytes($0.bytes) }
    case (.data, .blob(let bytes)): .bytes(bytes)
    default: nil
    }
  }

  /// The number as a double with the same value. SQLite stores a whole number of any column as an integer.
  private static func double(_ value: SQLiteValue) -> Double? {
    switch value {
    case .integer(let number): Double(exactly: number)
    case .real(let number): number
    default: nil
    }
  }

  /// The text of the decimal number with the same value.
  private static func decimal(_ value: SQLiteValue) -> String? {
    let text: String
    switch value {
    case .integer(let number): text = String(number)
    // The shortest text that reads as this double: the column had no other digits.
    case .real(let number): text = number.description
    case .text(let digits): text = digits
    default: return nil
    }
    // Beyond 38 digits, the platform's parser rounds.
    let digits = text.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber).drop { $0 == "0" }
    guard JSONNumber.isNumber(text), digits.count <= 38,
      let number = Decimal(string: text), !number.isNaN
    else { return nil }
    return number.description
  }
}
