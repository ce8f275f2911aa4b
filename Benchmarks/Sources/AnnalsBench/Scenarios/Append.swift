#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends of many events or of one in one transaction each, one after the other, into a new store.
struct Append: Scenario {
  let name: String
  let unit = Unit.entriesPerSecond
  /// How many events a transaction has.
  let batch: Int
  let streams: Int
  /// How many events are appended in all, a multiple of `batch`.
  let entries: Int
  /// After how many events a new store is begun, a multiple of `batch`.
  let perStore: Int
  /// Whether the calling thread is blocked meanwhile, instead of a task that waits.
  var isBlocking = false
  var durability = Durability.full
  /// The rate that is required, as a part of bare LMDB's.
  var part: Double?
  /// The rate that is also required, as a part of SQLite's.
  var sqlitePart: Double?
  /// The time after which a slower peer is stopped.
  ///
  /// Its rate only falls while its store grows, so that this favours the peer.
  let patience: Duration

  /// How many events are prepared at a time, so that as many are appended without a pause.
  private static let prepared = 500_000

  var target: Target? {
    part.map { part in
      let bare = Target.part(part, of: LMDBPeer.name)
      return sqlitePart.map { .both(bare, .part($0, of: "sqlite")) } ?? bare
    }
  }

  var parameters: [String: Int] {
    let parameters = [
      "batch": batch, "streams": streams, "entries": entries, "payload": SampleEvent.payloadBytes,
    ]
    return perStore < entries ? parameters.merging(["store": perStore]) { $1 } : parameters
  }

  /// Only the appends are timed, not the making of events between them.
  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    { [self] _ in
      var events = RoundRobin(streams: streams)
      var flow = Flow()
      while goesOn(flow, of: subject) {
        (events, flow) = try await Workplace.lend(inside: site.directory) { [events, flow] directory in
          try await append(to: S(creatingIn: directory, durability), events, flow)
        }
      }
      return flow.measurement
    }
  }

  /// The program makes its events of the same ones, which it is given in a file, and times its own appends.
  func trial(of peer: PythonPeer, at site: Site) throws -> Trial? {
    guard !isBlocking, durability == .full, perStore == entries else { return nil }
    try peer.check(in: site.directory)
    let file = site.directory.appendingPathComponent("events")
    try PythonPeer.write(RoundRobin(streams: streams), entries, to: file)
    return { [self] _ in
      try await Workplace.lend(inside: site.directory) { directory in
        try peer.append(file, in: directory, batch: batch, for: patience)
      }
    }
  }

  private func goesOn<S: Subject>(_ flow: Flow, of _: S.Type) -> Bool {
    flow.entries < entries && (S.self == AnnalsSubject.self || flow.time < patience)
  }

  /// Goes on with a new store, which is released when this returns.
  private func append<S: Subject>(
    to subject: S, _ events: RoundRobin, _ flow: Flow
  ) async throws -> (RoundRobin, Flow) {
    var (events, flow) = (events, flow)
    let end = min(entries, flow.entries + perStore)
    while flow.entries < end, goesOn(flow, of: S.self) {
      let count = min(end - flow.entries, max(batch, Self.prepared / batch * batch))
      let batches = try (0..<count / batch).map { _ in try S.prepare(events.batch(of: batch)) }
      for batch in batches where goesOn(flow, of: S.self) {
        if isBlocking {
          try flow.append(blocking: batch, of: self.batch, to: subject)
        } else {
          try await flow.append(batch, of: self.batch, to: subject)
        }
      }
    }
    return (events, flow)
  }
}

/// Appends one after the other, each timed.
struct Flow {
  private(set) var entries = 0
  private(set) var time = Duration.zero
  private var latencies: [Duration] = []

  /// Appends a batch that has `count` events.
  mutating func append<S: Subject>(_ batch: S.Batch, of count: Int, to subject: S) async throws {
    let start = ContinuousClock.now
    try await subject.append(batch)
    add(count, since: start)
  }

  /// Appends a batch that has `count` events, and blocks the calling thread meanwhile.
  mutating func append<S: Subject>(blocking batch: S.Batch, of count: Int, to subject: S) throws {
    let start = ContinuousClock.now
    try subject.append(blocking: batch)
    add(count, since: start)
  }

  private mutating func add(_ count: Int, since start: ContinuousClock.Instant) {
    let latency = start.duration(to: .now)
    time += latency
    latencies.append(latency)
    entries += count
  }

  /// The rate so far, and the time of each append.
  var measurement: Measurement { Measurement(count: entries, in: time, latencies: latencies) }
}
