#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A writer of JSON that ``JSONReader`` reads as the same value, bit for bit. Its bytes can be reused.
///
/// Only necessary escapes are written. A double always has a point or an exponent, so that it is read as a
/// double.
package struct JSONWriter {
  /// The JSON written so far.
  package var bytes: [UInt8] = []

  package init() {}

  /// Removes the bytes and keeps their capacity.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Appends punctuation or other text that is already JSON.
  package mutating func raw(_ text: StaticString) {
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a text with its quotation marks.
  package mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { self.text(unsafe $0.span) }
  }

  /// Appends a text, given as valid UTF-8, with its quotation marks.
  mutating func text(_ utf8: Span<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    while true {
      let end = utf8.plainTextEnd(from: start)
      bytes.append(utf8.extracting(start..<end))
      guard end < utf8.count else { break }
      escape(utf8[end])
      start = end &+ 1
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): raw("\\\"")
    case UInt8(ascii: "\\"): raw("\\\\")
    case 0x0a: raw("\\n")
    case 0x09: raw("\\t")
    case 0x0d: raw("\\r")
    case 0x08: raw("\\b")
    case 0x0c: raw("\\f")
    default:
      raw("\\u00")
      bytes.append(0x30 &+ byte >> 4)
      bytes.append(byte & 15 < 10 ? 0x30 &+ byte & 15 : 0x57 &+ byte & 15)
    }
  }

  /// Appends the whole number n.
  package mutating func unsigned(_ number: UInt64) {
    guard number >= 10 else {
      bytes.append(0x30 &+ UInt8(truncatingIfNeeded: number))
      return
    }
    bytes.append(contentsOf: String(number).utf8)
  }

  /// Appends the whole number −1 − n.
  mutating func negative(_ number: UInt64) {
    guard number < .max else {
      raw("-18446744073709551616")
      return
    }
    bytes.append(UInt8(ascii: "-"))
    unsigned(number &+ 1)
  }

  /// Appends a double.
  mutating func double(_ number: Double) {
    guard number.isFinite else {
      raw("{\"$double\":\"")
      bytes.append(contentsOf: JSONEscape.text(ofNotFinite: number).utf8)
      raw("\"}")
      return
    }
    bytes.append(contentsOf: number.description.utf8)
  }

  /// Appends a byte string.
  mutating func byteString(_ string: [UInt8]) {
    raw("{\"$bytes\":\"")
    bytes.append(contentsOf: Data(string).base64EncodedString().utf8)
    raw("\"}")
  }

  /// Appends a key and its colon; `isAlone` means that its object has no other key.
  mutating func key(_ key: Span<UInt8>, isAlone: Bool) {
    if isAlone, !key.isEmpty, key[0] == UInt8(ascii: "$"),
      JSONEscape(String(decoding: key.copied, as: UTF8.self)) != nil
    {
      // The name is plain, so that the whole needs no other escape.
      raw("\"$")
      bytes.append(key)
      raw("\"")
    } else {
      text(key)
    }
    bytes.append(UInt8(ascii: ":"))
  }
}
