/// The SHA-256 of the content of an attachment (FIPS 180-4).
public struct ContentHash: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number of bytes.
  package static let byteCount = SHA256.byteCount

  /// The bytes, ``byteCount`` of them.
  package let bytes: [UInt8]

  /// Creates a hash of these bytes; `nil` if they are too few or too many.
  package init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    if self.bytes.count != Self.byteCount { return nil }
  }

  /// Creates the hash with these 64 hexadecimal digits in lower case; `nil` for another text.
  public init?(_ text: some StringProtocol) {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text.utf8 {
      let value: UInt8
      switch digit {
      case 0x30...0x39: value = digit - 0x30
      case 0x61...0x66: value = digit - 0x57
      default: return nil
      }
      if let first = high { bytes.append(first << 4 | value) }
      high = high == nil ? value : nil
    }
    guard high == nil else { return nil }
    self.init(bytes)
  }

  /// The hash in 64 hexadecimal digits.
  public var description: String {
    var text = ""
    for byte in bytes {
      if byte < 16 { text += "0" }
      text += String(byte, radix: 16)
    }
    return text
  }

  /// Returns whether a hash sorts before another one, byte by byte.
  public static func < (left: ContentHash, right: ContentHash) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
