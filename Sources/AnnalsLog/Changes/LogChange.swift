package import AnnalsCoding
package import AnnalsFormat

/// A change of the log itself that a caller asks for, and the reasons that are recorded with it.
package struct LogChange: Sendable {
  /// What is to be changed.
  package enum Work: Sendable {
    case limit(LimitChange)
    /// Removes the contents of these entries, in ascending order.
    case erase([Position])
    /// Stores a retention rule, or removes the one with its prefix.
    case retain(RetentionRule, isRemoved: Bool)
    /// A step of a schema version's roll-out. The rules of the call decide which phases begin.
    case roll(RolloutStep)
  }

  package var work: Work
  /// The person that asked for it.
  package var author: String
  /// Why.
  package var reason: String
  /// The stream of which all entries are erased with this change, and the revision of the newest one; `nil`
  /// if others remain.
  package var erasedStream: (name: StreamName, head: Revision)?

  package init(_ work: Work, author: String, reason: String) {
    self.work = work
    self.author = author
    self.reason = reason
  }
}

/// A change of what of a stream can be read and written.
package enum LimitChange: Sendable {
  case close(StreamName)
  case reopen(StreamName)
  /// Hides all events of streams before a revision; `nil` for all events.
  case truncate([(stream: StreamName, before: Revision?)])
}

/// Decides what a change does to the limits of streams, from their heads and limits alone.
struct LimitDecision {
  /// The stream that a change is about.
  struct Stream {
    var id: Position
    /// The revision of its newest entry.
    var head: Revision
    var limit: StreamLimit
  }

  /// The limits that change.
  private(set) var limits: [(stream: Position, limit: StreamLimit)] = []

  /// Closes a stream, or reopens it.
  ///
  /// - Returns: The change to record; `nil` if the stream is in this state already.
  mutating func set(isClosed: Bool, _ stream: Stream) -> SystemEntry.Change? {
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
  mutating func truncate(_ stream: Stream, before revision: Revision?) -> SystemEntry.Truncation? {
    let next = Revision(stream.head.rawValue + 1)
    let oldest = min(revision ?? next, next)
    guard oldest > stream.limit.oldest else { return nil }
    var limit = stream.limit
    limit.oldest = oldest
    limits.append((stream.id, limit))
    return SystemEntry.Truncation(stream: stream.id, oldest: oldest)
  }
}
