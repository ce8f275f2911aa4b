#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type of field whose values can be tags: any type that can be a key of rows.
///
/// Texts, integers, `Bool`, `Double`, `Decimal`, `Date`, `UUID`, byte strings, ``Position`` and
/// ``StreamName`` conform. An enum or a struct with such a raw value conforms if it is declared to: `enum
/// Size: String, TagValue`.
public protocol TagValue {
  /// The text of the value in a tag, unique among the values of the type.
  var tagText: String { get }
}

extension String: TagValue {
  /// The text itself.
  public var tagText: String { self }
}

extension StreamName: TagValue {
  /// The name.
  public var tagText: String { text }
}

extension TagValue where Self: FixedWidthInteger {
  /// The number in decimal digits.
  public var tagText: String { String(self) }
}

extension Int: TagValue {}
extension Int8: TagValue {}
extension Int16: TagValue {}
extension Int32: TagValue {}
extension Int64: TagValue {}
extension UInt: TagValue {}
extension UInt8: TagValue {}
extension UInt16: TagValue {}
extension UInt32: TagValue {}
extension UInt64: TagValue {}

extension Position: TagValue {
  /// The number in decimal digits.
  public var tagText: String { description }
}

extension Bool: TagValue {
  /// `true` or `false`.
  public var tagText: String { description }
}

extension Double: TagValue {
  /// The shortest decimal number that reads back as this one; both zeros are `0.0`.
  public var tagText: String { self == 0 ? "0.0" : description }
}

extension Decimal: TagValue {
  /// The number in decimal digits, without zeros at the end of a fraction: equal numbers have one text.
  public var tagText: String {
    let text = description
    guard text.utf8.contains(UInt8(ascii: ".")) else { return text }
    let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "0") }.drop { $0 == UInt8(ascii: ".") }
    return String(decoding: digits.reversed(), as: UTF8.self)
  }
}

extension Date: TagValue {
  /// The moment to the microsecond, such as `2008-04-18T00:00:00.000000Z`.
  ///
  /// Outside the years 0001 to 9999 it is the number of seconds since 2001.
  public var tagText: String {
    Timestamp(self)?.description ?? timeIntervalSinceReferenceDate.tagText
  }
}

extension UUID: TagValue {
  /// The id in lowercase, such as `e621e1f8-c36c-495a-93fc-0c247a3e6e5f`.
  public var tagText: String { uuidString.lowercased() }
}

extension Data: TagValue {
  /// The bytes in base64.
  public var tagText: String { base64EncodedString() }
}

extension TagValue where Self: RawRepresentable, RawValue: TagValue {
  /// The text of the raw value.
  public var tagText: String { rawValue.tagText }
}
