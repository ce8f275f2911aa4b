/// A commit of appends.
public struct CommitActivity: Sendable, Hashable {
  /// The number of stored events.
  public let events: Int
  /// The bytes of the encoded calls.
  public let bytes: Int
  /// The number of calls that shared the commit, including refused ones.
  public let calls: Int
  /// The time that the commit took, including the flush to disk.
  public let duration: Duration

  package init(events: Int, bytes: Int, calls: Int, duration: Duration) {
    self.events = events
    self.bytes = bytes
    self.calls = calls
    self.duration = duration
  }
}

/// A page of entries that was read.
public struct ReadActivity: Sendable, Hashable {
  /// The number of entries that were decoded.
  public let entries: Int
  /// The bytes that they take in the log.
  public let bytes: Int
  /// The time of reading, and of upcasting if the store is typed.
  public let duration: Duration

  package init(entries: Int, bytes: Int, duration: Duration) {
    self.entries = entries
    self.bytes = bytes
    self.duration = duration
  }
}

/// Entries of a page that passed one stage.
public struct UpcastActivity: Sendable, Hashable {
  /// The older version.
  public let from: SchemaVersion
  /// The newer version.
  public let to: SchemaVersion
  /// The number of stored entries that passed the stage.
  public let entries: Int

  package init(from: SchemaVersion, to: SchemaVersion, entries: Int) {
    self.from = from
    self.to = to
    self.entries = entries
  }
}

/// A migration pass that has ended.
public struct PassActivity: Sendable, Hashable {
  /// The number of the generation in use from now on.
  public let generation: UInt64
  /// The number of copied entries.
  public let entries: UInt64
  /// The time from the beginning of the pass to the switch.
  public let duration: Duration

  package init(generation: UInt64, entries: UInt64, duration: Duration) {
    self.generation = generation
    self.entries = entries
    self.duration = duration
  }
}

/// A batch of rows that a view has stored.
public struct ViewActivity: Sendable, Hashable {
  /// The name of the projection.
  public let name: String
  /// The version of the projection.
  public let version: Int
  /// The position up to which the view has read.
  public let position: Position
  /// The number of positions in the log after that position.
  public let lag: UInt64

  package init(name: String, version: Int, position: Position, lag: UInt64) {
    self.name = name
    self.version = version
    self.position = position
    self.lag = lag
  }
}

/// Work that is about to be tried again.
public struct RetryActivity: Sendable, Hashable {
  /// The kind of work.
  public enum Work: String, Sendable, Hashable {
    /// A decision of an aggregate: another append came first.
    case decision
    /// The handler of a consumer has thrown an error.
    case handler
  }

  /// The kind of work.
  public let work: Work
  /// The name of the aggregate or of the consumer.
  public let name: String
  /// The stream concerned, the first of several; `nil` for a decision on the events of a query.
  public let stream: StreamName?
  /// The number of the attempt that begins, from 2.
  public let attempt: Int

  package init(work: Work, name: String, stream: StreamName?, attempt: Int) {
    self.work = work
    self.name = name
    self.stream = stream
    self.attempt = attempt
  }
}

/// An entry that a consumer has set apart.
public struct DeadLetterActivity: Sendable, Hashable {
  /// The name of the consumer.
  public let consumer: String
  /// The position of the entry.
  public let position: Position
  /// The stream of the entry.
  public let stream: StreamName
  /// The number of attempts to handle it.
  public let attempts: Int

  package init(consumer: String, position: Position, stream: StreamName, attempts: Int) {
    self.consumer = consumer
    self.position = position
    self.stream = stream
    self.attempts = attempts
  }
}
