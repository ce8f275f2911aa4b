/// The grammar of numbers in JSON (RFC 8259, section 6).
package enum JSONNumber {
  /// Returns whether `text` is a number and nothing else.
  package static func isNumber(_ text: String) -> Bool {
    let utf8 = [UInt8](text.utf8)
    guard let end = end(in: utf8.span, from: 0)?.end else { return false }
    return end == utf8.count
  }

  /// Returns the number of significant digits of `text`, a number: without exponent, leading and trailing
  /// zeros.
  static func significantDigits(_ text: String) -> Int {
    let digits = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter { (0x30...0x39).contains($0) }
    let leading = digits.prefix { $0 == 0x30 }.count
    return max(0, digits.count - leading - digits.reversed().prefix { $0 == 0x30 }.count)
  }

  /// Returns the end of the number that begins at `start`, and whether it has neither fraction nor exponent;
  /// `nil` if there is no number.
  static func end(in bytes: Span<UInt8>, from start: Int) -> (end: Int, isWhole: Bool)? {
    var index = start
    func digit() -> Bool {
      index < bytes.count && bytes[index] &- 0x30 < 10
    }
    func isNext(_ byte: Unicode.Scalar) -> Bool {
      index < bytes.count && bytes[index] == UInt8(ascii: byte)
    }
    if isNext("-") {
      index &+= 1
    }
    guard digit() else { return nil }
    if isNext("0") {
      index &+= 1
    } else {
      while digit() {
        index &+= 1
      }
    }
    var isWhole = true
    if isNext(".") {
      isWhole = false
      index &+= 1
      guard digit() else { return nil }
      while digit() {
        index &+= 1
      }
    }
    if isNext("e") || isNext("E") {
      isWhole = false
      index &+= 1
      if isNext("+") || isNext("-") {
        index &+= 1
      }
      guard digit() else { return nil }
      while digit() {
        index &+= 1
      }
    }
    return (index, isWhole)
  }
}
