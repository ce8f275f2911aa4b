/// The position of an entry in its stream, counted from 0.
///
/// Revisions are assigned without gaps and never change.
public struct Revision: RawRepresentable, Hashable, Comparable, Codable, Sendable {
  /// The number of entries of the stream before this one.
  public let rawValue: UInt64

  /// Creates the revision with this number.
  @inlinable public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Creates the revision with this number.
  @inlinable public init(_ number: UInt64) {
    self.rawValue = number
  }

  /// Returns whether the entry at `left` precedes the one at `right`.
  @inlinable public static func < (left: Revision, right: Revision) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension Revision: ExpressibleByIntegerLiteral {
  /// Creates the revision from a literal.
  @inlinable public init(integerLiteral number: UInt64) {
    self.rawValue = number
  }
}

extension Revision: CustomStringConvertible {
  /// The number in decimal digits.
  @inlinable public var description: String { String(rawValue) }
}
