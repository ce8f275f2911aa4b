import Annals

/// Appends of the same batches to two stores: entries with something that costs, and bare ones.
struct AppendComparison: Sendable {
  /// The name of the ratio to the bare entries.
  let bare: String
  let batch: Int
  let streams: Int
  /// How many events a repetition appends to each store, a multiple of `batch`.
  let entries: Int

  /// Returns the repetitions.
  ///
  /// - Parameters:
  ///   - full: The store of the entries with something that costs.
  ///   - plain: The store of the bare ones.
  ///   - makeExtra: Gets the seed of a repetition, and returns what changes each entry before it is
  ///     appended.
  func trial(
    _ full: EventLog, _ plain: EventLog,
    _ makeExtra: @escaping @Sendable (UInt64) -> (inout NewEntry) -> Void
  ) -> Trial {
    { [self] repetition in
      let seed = RoundRobin.seed + UInt64(repetition)
      // In turns, as subjects are.
      let times: (full: Duration, bare: Duration)
      if repetition.isMultiple(of: 2) {
        let first = try await time(of: plain, seed)
        times = (try await time(of: full, seed, makeExtra(seed)), first)
      } else {
        let first = try await time(of: full, seed, makeExtra(seed))
        times = (first, try await time(of: plain, seed))
      }
      var found = Measurement(count: entries, in: times.full)
      found.ratios = [bare: times.bare / times.full]
      return found
    }
  }

  /// How long the appends take, without the making of the events.
  private func time(
    of log: EventLog, _ seed: UInt64, _ extra: (inout NewEntry) -> Void = { _ in }
  ) async throws -> Duration {
    var events = RoundRobin(streams: streams, seed: seed)
    var time = Duration.zero
    for _ in 0..<entries / batch {
      let items = try events.batch(of: batch).map { event in
        var entry = NewEntry(
          type: "Sampled", version: SchemaVersion(1, 0, 0), payload: try Payload(bytes: event.payload))
        extra(&entry)
        return (StreamName(event.streamName), [entry])
      }
      let start = ContinuousClock.now
      try await log.append { call in
        for (stream, entries) in items { call.append(entries, to: stream) }
      }
      time += start.duration(to: .now)
    }
    return time
  }
}
