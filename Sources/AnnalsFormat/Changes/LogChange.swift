package import AnnalsCoding

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

  /// Whether an erasure leaves no event of its stream before the newest that it erases. Others do not pass it
  /// on.
  package var leavesNothingBefore = false
  /// The version at which the plan of the caller ends; `nil` for a log without a plan. A pass of a newer plan
  /// may have given the names of streams to other events.
  package var plan: SchemaVersion?

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
  /// Hides the events that retention rules do not keep.
  case retain(RetainedStreams)
}

/// What retention rules keep of streams. The change is refused once the store has other rules, or another
/// stream has the name of one of these.
package struct RetainedStreams: Sendable {
  /// The rules, as ``RetentionRule/encoded(_:)`` writes them.
  package var rules: [UInt8]
  /// The streams by name and id, and the oldest revision that is kept of each.
  package var streams: [(name: StreamName, id: Position, oldest: Revision)]

  package init(rules: [UInt8], streams: [(name: StreamName, id: Position, oldest: Revision)] = []) {
    self.rules = rules
    self.streams = streams
  }
}
