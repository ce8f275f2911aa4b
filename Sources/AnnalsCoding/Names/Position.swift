/// The position of an entry in the log, counted from 1.
///
/// Positions are assigned without gaps, in the order of commits, and never change.
public struct Position: RawRepresentable, Hashable, Comparable, Codable, Sendable {
  /// The number of entries up to and including this one.
  public let rawValue: UInt64

  /// Creates the position with this number.
  @inlinable public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Creates the position with this number.
  @inlinable public init(_ number: UInt64) {
    self.rawValue = number
  }

  /// Returns whether the entry at `left` precedes the one at `right`.
  @inlinable public static func < (left: Position, right: Position) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension Position: ExpressibleByIntegerLiteral {
  /// Creates the position from a literal.
  @inlinable public init(integerLiteral number: UInt64) {
    self.rawValue = number
  }
}

extension Position: CustomStringConvertible {
  /// The number in decimal digits.
  @inlinable public var description: String { String(rawValue) }
}
