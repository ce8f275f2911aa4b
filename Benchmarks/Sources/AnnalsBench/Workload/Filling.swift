/// What a store is filled with before it is read or measured.
struct Filling: Sendable {
  /// The number of streams.
  let streams: Int
  /// The number of entries in each.
  let entriesPerStream: Int
  /// How many entries are appended at a time.
  static let batch = 10_000

  /// The number of entries in all streams.
  var entries: Int { streams * entriesPerStream }

  /// Fills an empty store.
  func fill<S: Subject>(_ subject: S) async throws {
    var events = RoundRobin(streams: streams)
    var left = entries
    while left > 0 {
      let count = min(left, Self.batch)
      try await subject.append(S.prepare(events.batch(of: count)))
      left -= count
    }
  }

  /// The values that distinguish runs with this filling from others.
  var parameters: [String: Int] {
    ["streams": streams, "entries": entries, "payload": SampleEvent.payloadBytes]
  }
}
