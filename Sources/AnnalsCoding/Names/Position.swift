/// The place of an entry in the log, counted from 1.
///
/// Positions are handed out without gaps, in the order of commits, and never change.
public struct Position: RawRepresentable, Hashable, Comparable, Codable, Sendable {
  /// The number of entries up to and with this one.
  public let rawValue: UInt64

  /// The position with this number.
  @inlinable public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The position with this number.
  @inlinable public init(_ number: UInt64) {
    self.rawValue = number
  }

  /// Whether the entry at `left` stands before the one at `right`.
  @inlinable public static func < (left: Position, right: Position) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension Position: ExpressibleByIntegerLiteral {
  /// The position with the number written out.
  @inlinable public init(integerLiteral number: UInt64) {
    self.rawValue = number
  }
}

extension Position: CustomStringConvertible {
  /// The number in decimal digits.
  @inlinable public var description: String { String(rawValue) }
}
