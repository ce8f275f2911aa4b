/// Numbers as people read them.
enum Quantity {
  /// Returns a whole number with a narrow space between thousands.
  static func count(_ number: UInt64) -> String {
    var text = ""
    let digits = Array(String(number))
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append("\u{202f}") }
      text.append(digit)
    }
    return text
  }

  /// Returns a number of bytes in the largest unit of 1,024 that leaves at least one.
  static func bytes(_ number: UInt64) -> String {
    guard number >= 1024 else { return "\(number) B" }
    var (value, unit) = (Double(number) / 1024, 0)
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
    return "\(tenths(value)) \(units[unit])"
  }

  /// Returns a rate per second.
  static func rate(_ number: Double) -> String {
    number >= 100 || number == 0 ? count(UInt64(clamped(number.rounded()))) : tenths(number)
  }

  /// Returns a part of a whole in percent.
  static func percent(_ part: UInt64, of whole: UInt64) -> String {
    guard whole > 0 else { return "0 %" }
    return "\(tenths(100 * Double(part) / Double(whole))) %"
  }

  /// Returns a number with one digit after the point, without a final zero.
  static func tenths(_ number: Double) -> String {
    let rounded = UInt64(clamped((number * 10).rounded()))
    let whole = count(rounded / 10)
    return rounded.isMultiple(of: 10) ? whole : "\(whole).\(rounded % 10)"
  }

  private static func clamped(_ number: Double) -> Double {
    number.isFinite ? min(max(number, 0), 1e18) : 0
  }
}
