internal import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Origin {
  /// Returns an id that the rules of all entries of the log can compute again: the same salt always has the
  /// same id.
  ///
  /// It equals the result of ``derivedID(_:)`` at position 0, which no entry has, so it is never the id of
  /// one entry. Use it for things that several entries refer to, such as the city of several parks. Code that
  /// appends gets it from ``EventLog/sharedID(_:)``.
  ///
  /// - Parameter salt: Any text that distinguishes the ids of one log. Normalise it first: texts that differ
  ///   in one byte have different ids.
  /// - Complexity: As ``derivedID(_:)``.
  public func sharedID(_ salt: String) -> UUID {
    Origin(
      position: 0, stream: stream, revision: revision, timestamp: timestamp, id: nil, metadata: [:], log: log
    ).derivedID(salt)
  }
}
