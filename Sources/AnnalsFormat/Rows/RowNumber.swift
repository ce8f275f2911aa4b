/// A position in the name of a row of `meta`: 16 hexadecimal digits, so that names are in the order of
/// positions.
package enum RowNumber {
  /// Returns the digits of `position`.
  package static func text(_ position: UInt64) -> String {
    let digits = String(position, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Returns the position with these digits; `nil` if they are none.
  package static func position(_ digits: some StringProtocol) -> UInt64? {
    digits.utf8.count == 16 ? UInt64(digits, radix: 16) : nil
  }
}
