#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Decimal: RowKey {
  /// Adds at most 24 bytes that sort in the order of the numbers, NaN before all others.
  ///
  /// Equal numbers add equal bytes, however many trailing zeros their digits have.
  public func encode(into bytes: inout RowKeyBytes) {
    guard !isNaN else { return bytes.append(0 as UInt8) }
    let number = DecimalDigits(description)
    guard let first = number.digits.first else { return bytes.append(2 as UInt8) }
    // Below zero, larger digits are smaller numbers.
    let mask: UInt8 = number.isNegative ? 0xff : 0
    bytes.append(number.isNegative ? 1 : 3 as UInt8)
    let exponent = UInt16(clamping: number.exponent + 0x4000)
    bytes.append(UInt8(exponent >> 8) ^ mask)
    bytes.append(UInt8(truncatingIfNeeded: exponent) ^ mask)
    var high: UInt8? = first
    for digit in number.digits.dropFirst() {
      guard let tens = high else {
        high = digit
        continue
      }
      bytes.append((tens * 10 + digit + 1) ^ mask)
      high = nil
    }
    if let high { bytes.append((high * 10 + 1) ^ mask) }
    // No pair of digits is zero, so a number sorts before those that continue its digits.
    bytes.append(mask)
  }
}

/// A decimal number as its significant digits, 0.d₁d₂… · 10^exponent.
private struct DecimalDigits {
  var isNegative = false
  /// The digits without leading and trailing zeros; empty for zero.
  var digits: [UInt8] = []
  /// The power of ten of the point before the first digit.
  var exponent = 0

  /// Reads the text of a number, with or without a point and an exponent.
  init(_ text: String) {
    var hasPoint = false
    var power = 0
    var isPowerNegative = false
    var isPower = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "-"):
        if isPower { isPowerNegative = true } else { isNegative = true }
      case UInt8(ascii: "."): hasPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"): isPower = true
      case 0x30...0x39 where isPower: power = power * 10 + Int(byte & 0xf)
      case 0x30...0x39:
        // A zero in front of all digits moves the point, if it is after it.
        if digits.isEmpty, byte == 0x30 {
          if hasPoint { exponent -= 1 }
          continue
        }
        digits.append(byte & 0xf)
        if !hasPoint { exponent += 1 }
      default: break
      }
    }
    while digits.last == 0 { digits.removeLast() }
    exponent += isPowerNegative ? -power : power
  }
}
