internal import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Origin {
  /// An id that the rules of all entries of the log can make again: the same for the same salt, wherever it is asked for.
  ///
  /// It is what ``derivedID(_:)`` would give at position 0, where no entry stands, and so never an id of one entry. Use it for what several entries speak of,
  /// such as the city of several parks; ``EventLog/sharedID(_:)`` gives it to the code that appends.
  ///
  /// - Parameter salt: What tells apart the ids of one log; any text. Normalise it first: ids of texts that differ in one byte are different ids.
  /// - Complexity: As ``derivedID(_:)``.
  public func sharedID(_ salt: String) -> UUID {
    Origin(
      position: 0, stream: stream, revision: revision, timestamp: timestamp, id: nil, metadata: [:], log: log
    ).derivedID(salt)
  }
}
