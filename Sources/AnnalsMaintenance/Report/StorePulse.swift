package import AnnalsCoding
package import AnnalsLog
internal import AnnalsProjections
internal import AnnalsSubscriptions

/// The numbers of a store that change while it is used, read at one moment from its small tables.
package struct StorePulse: Sendable {
  /// A table or a consumer that follows the log.
  package struct Follower: Hashable, Sendable {
    /// What follows the log.
    package enum Role: String, Hashable, Sendable {
      case view
      case inline
      case consumer
    }
    package let role: Role
    package let name: String
    /// The version of its projection; `nil` for a consumer.
    package let version: Int?
    /// The number of its files or rows, which no other build has; 0 for a consumer.
    package let number: UInt64
    /// Its state; `nil` for a consumer.
    package let state: String?
    /// The position up to which it has read; 0 before the first.
    package let position: UInt64
    /// The number of positions in the log after that position.
    package let lag: UInt64
    /// The number of its rows and secondary keys; `nil` if nothing counts them.
    package let rows: Int?
    /// The number of its dead letters; 0 for a view.
    package let deadLetters: Int

    package init(
      role: Role, name: String, version: Int?, number: UInt64 = 0, state: String?, position: UInt64,
      lag: UInt64, rows: Int? = nil, deadLetters: Int = 0
    ) {
      self.role = role
      self.name = name
      self.version = version
      self.number = number
      self.state = state
      self.position = position
      self.lag = lag
      self.rows = rows
      self.deadLetters = deadLetters
    }
  }

  /// Seconds of a clock that only goes forwards. Only differences have a meaning.
  package let seconds: Double
  /// The number of entries.
  package let entries: UInt64
  /// The number of streams.
  package let streams: UInt64
  /// The bytes of all payloads.
  package let payloadBytes: UInt64
  /// The length of the log's file.
  package let fileBytes: UInt64
  /// The bytes of the file in use.
  package let usedBytes: UInt64
  /// The unused bytes of the file.
  package let freeBytes: UInt64
  /// The address space set aside for the file.
  package let mapBytes: UInt64
  /// The number of open snapshots of all processes.
  package let readers: Int
  /// How many commits the oldest snapshot lags.
  package let oldestReaderLag: UInt64
  /// The number of the generation in use.
  package let generation: UInt64
  /// The number of the generation that a pass is building; `nil` if there is none.
  package let building: UInt64?
  /// Views, inline projections and consumers, in this order.
  package let followers: [Follower]

  package init(
    seconds: Double, entries: UInt64, streams: UInt64, payloadBytes: UInt64, fileBytes: UInt64,
    usedBytes: UInt64, freeBytes: UInt64, mapBytes: UInt64, readers: Int, oldestReaderLag: UInt64,
    generation: UInt64, building: UInt64?, followers: [Follower]
  ) {
    self.seconds = seconds
    self.entries = entries
    self.streams = streams
    self.payloadBytes = payloadBytes
    self.fileBytes = fileBytes
    self.usedBytes = usedBytes
    self.freeBytes = freeBytes
    self.mapBytes = mapBytes
    self.readers = readers
    self.oldestReaderLag = oldestReaderLag
    self.generation = generation
    self.building = building
    self.followers = followers
  }
}

extension StorePulse {
  /// The numbers in descriptions that were read at a moment of ``ContinuousClock``.
  init(
    at moment: Duration, _ info: LogInfo, _ views: [ViewInfo], _ inline: [InlineInfo],
    _ consumers: [ConsumerInfo]
  ) {
    self.init(
      seconds: moment / .seconds(1), entries: info.entries, streams: info.streams,
      payloadBytes: info.census.reduce(0) { $0 &+ $1.bytes }, fileBytes: UInt64(clamping: info.fileSize),
      usedBytes: UInt64(clamping: info.used), freeBytes: UInt64(clamping: info.free),
      mapBytes: UInt64(clamping: info.mapSize), readers: info.readers,
      oldestReaderLag: info.oldestReader?.commitsBehind ?? 0, generation: info.generation,
      building: info.pass?.generation,
      followers: views.map(Follower.init) + inline.map(Follower.init) + consumers.map(Follower.init))
  }
}

extension StorePulse.Follower {
  fileprivate init(_ view: ViewInfo) {
    self.init(
      role: .view, name: view.name, version: view.version, number: view.number, state: view.state.rawValue,
      position: view.position?.rawValue ?? 0, lag: view.lag, rows: view.rows)
  }

  fileprivate init(_ inline: InlineInfo) {
    self.init(
      role: .inline, name: inline.name, version: inline.version, number: inline.number,
      state: inline.state.rawValue, position: inline.position?.rawValue ?? 0, lag: inline.lag)
  }

  fileprivate init(_ consumer: ConsumerInfo) {
    self.init(
      role: .consumer, name: consumer.name, version: nil, state: nil,
      position: consumer.checkpoint.position.rawValue, lag: consumer.lag, deadLetters: consumer.deadLetters)
  }
}

extension EventLog {
  /// Returns the numbers of the store that change while it is used.
  ///
  /// - Throws: As ``info()``, ``views()`` and ``consumers()``.
  /// - Complexity: O(record types, views and consumers), regardless of the length of the log.
  package func pulse() throws(AnnalsError) -> StorePulse {
    let (info, views, inline, consumers) = (
      try info(), try views(), try inlineProjections(), try consumers()
    )
    return StorePulse(at: Self.uptime, info, views, inline, consumers)
  }

  /// The time since some moment of this process.
  static var uptime: Duration { ContinuousClock.now - start }
  private static let start = ContinuousClock.now
}
