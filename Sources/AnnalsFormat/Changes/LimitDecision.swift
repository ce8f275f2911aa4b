package import AnnalsCoding

/// Decides what a change does to the limits of streams, from their heads and limits alone.
package struct LimitDecision {
  /// The stream that a change is about.
  package struct Stream {
    package var id: Position
    /// The revision of its newest entry.
    package var head: Revision
    package var limit: StreamLimit

    package init(id: Position, head: Revision, limit: StreamLimit) {
      self.id = id
      self.head = head
      self.limit = limit
    }
  }

  /// The limits that change.
  package private(set) var limits: [(stream: Position, limit: StreamLimit)] = []

  package init() {}

  /// Closes a stream, or reopens it.
  ///
  /// - Returns: The change to record; `nil` if the stream is in this state already.
  package mutating func set(isClosed: Bool, _ stream: Stream) -> SystemEntry.Change? {
    guard stream.limit.isClosed != isClosed else { return nil }
    var limit = stream.limit
    limit.isClosed = isClosed
    limits.append((stream.id, limit))
    return isClosed ? .closed(stream.id) : .reopened(stream.id)
  }

  /// Hides the events of `stream` before `revision`, or all of them. Events that are appended later are never
  /// hidden, and hidden ones stay so.
  ///
  /// - Returns: The truncation to record; `nil` if it hides nothing new.
  package mutating func truncate(_ stream: Stream, before revision: Revision?) -> SystemEntry.Truncation? {
    let next = Revision(stream.head.rawValue + 1)
    let oldest = min(revision ?? next, next)
    guard oldest > stream.limit.oldest else { return nil }
    var limit = stream.limit
    limit.oldest = oldest
    limits.append((stream.id, limit))
    return SystemEntry.Truncation(stream: stream.id, oldest: oldest)
  }
}
