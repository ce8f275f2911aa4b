public import AnnalsCoding

/// What of a stream can be read and written, in one snapshot.
public struct StreamState: Equatable, Sendable {
  /// The revision of the newest event.
  public let revision: Revision
  /// The oldest revision that is read. It is after ``revision`` if the stream reads as empty.
  public let oldest: Revision
  /// Whether the stream takes no more events.
  public let isClosed: Bool

  /// Whether no event of the stream is read.
  public var isEmpty: Bool { oldest > revision }
}

extension LogSnapshot {
  /// Returns what of `stream` can be read and written; `nil` for a stream that never had an event.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged` or `inputOutput`.
  /// - Complexity: Three look-ups.
  public func state(of stream: StreamName) throws(AnnalsError) -> StreamState? {
    guard let head = try head(of: stream) else { return nil }
    let limit = try limit(of: head.id)
    return StreamState(revision: head.revision, oldest: limit.oldest, isClosed: limit.isClosed)
  }

  /// The limit of the stream whose first entry is at `id`.
  package func limit(of id: Position) throws(AnnalsError) -> StreamLimit {
    kinds.limitsStreams ? try reader.limit(of: id) : StreamLimit()
  }
}
