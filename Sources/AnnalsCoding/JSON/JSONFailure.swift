/// The reason why a line of JSON was refused, and the place.
package struct JSONFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule that was broken.
  package enum Reason: String, Sendable {
    case truncated = "the line ends inside a value"
    case unexpected = "a character that cannot stand here"
    case trailing = "something follows the value"
    case number = "not a number"
    case wholeNumber = "a whole number beyond 64 bits; write it as a text, or with a fraction for a double"
    case underflow = "the number is not 0 and too close to it for a double"
    case overflow = "the number is beyond the range of a double"
    case escape = "not an escape sequence"
    case surrogate = "half of a surrogate pair alone"
    case control = "a control character that is not escaped"
    case invalidText = "not valid UTF-8"
    case duplicateKey = "a key stands twice"
    case tooDeep = "arrays and objects nested too deep"
    case bytes = "$bytes must be a text in base64 as it is written, without spare bits"
    case double = "$double must be NaN, Infinity, -Infinity or the 16 hexadecimal digits of a NaN"
    case lineTooLong = "the line is longer than the limit"
  }
  /// The rule that was broken.
  package let reason: Reason
  /// The line, counted from 1.
  package let line: Int
  /// The offset in the line, in bytes counted from 1.
  package let column: Int

  /// The reason and the place.
  package var description: String { "line \(line), column \(column): \(reason.rawValue)" }
}
