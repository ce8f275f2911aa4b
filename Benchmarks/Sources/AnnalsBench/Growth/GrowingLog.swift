import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A log of one size, from its first entry to a migration pass over all of them.
struct GrowingLog: Sendable {
  let entries: Int
  let streams: Int
  /// A directory that is empty, for this log alone.
  let directory: URL

  /// How many names of streams are made at a time.
  private static let prepared = 500_000
  private static let reads = 20_000
  private static let opens = 5
  private static let kills = 3
  /// How many entries a process appends before it is killed.
  private static let tail = 100_000

  /// Does all of the work, in the order in which it disturbs least.
  func measure() async throws -> [GrowthWork: Measurement] {
    var found: [GrowthWork: Measurement] = [:]
    (found[.append], found[.appendEnd]) = try await fill()
    let bytes = try AnnalsSubject.bytesStored(in: directory)
    found[.bytes] = Measurement(rate: Double(bytes) / Double(entries * TypedLog.payloadBytes))
    (found[.scan], found[.readEntry]) = try read()
    try AnnalsSubject.waitUntilClosed(in: directory)
    found[.verify] = try verify()
    let pass = try await WatchedPass(.rule, in: directory)
    found[.pass] = Measurement(count: entries, in: pass.whole)
    found[.pass]?.ratios = pass.shares
    try AnnalsSubject.waitUntilClosed(in: directory)
    // Untyped events follow, which a pass would refuse.
    found[.openClosed] = try await open(times: Self.opens) {}
    found[.openKilled] = try await open(times: Self.kills) {
      try KilledFilling.run(AnnalsSubject.self, in: directory, streams: streams, entries: Self.tail)
    }
    return found
  }

  /// Appends typed events to a new store; it is released when this returns.
  private func fill() async throws -> (all: Measurement, end: Measurement) {
    var options = StoreOptions(creation: .always)
    options.headMemory = 256 << 20
    let store = try EventStore(
      at: TypedLog.place(in: directory), plan: Only<Stored>.self, options: options)
    var order = RoundRobin(streams: streams)
    var latencies: [Duration] = []
    var left = entries
    while left > 0 {
      // Names are made before the clock runs, many at a time, so that commits follow each other directly.
      let names = (0..<min(Self.prepared, left)).map { _ in
        StreamName(SampleEvent.name(ofStream: order.stream()))
      }
      for first in stride(from: 0, to: names.count, by: Filling.batch) {
        let batch = names[first..<min(first + Filling.batch, names.count)]
        let start = ContinuousClock.now
        try await store.append { call in
          for name in batch { call.append([.setLogged(TypedLog.event)], to: name) }
        }
        latencies.append(start.duration(to: .now))
      }
      left -= names.count
    }
    let end = latencies.suffix(latencies.count / 10)
    return (
      Measurement(count: entries, in: latencies.reduce(.zero, +), latencies: latencies),
      Measurement(
        count: end.count * Filling.batch, in: end.reduce(.zero, +), latencies: Array(end))
    )
  }

  /// One scan, which also maps all pages that fit into memory, and then reads of single entries.
  private func read() throws -> (scan: Measurement, entry: Measurement) {
    let subject = try AnnalsSubject(openingIn: directory)
    let start = ContinuousClock.now
    let total = try subject.scan()
    let scan = start.duration(to: .now)
    guard total.entries == entries else {
      throw WrongWork(description: "a scan found \(total.entries) of \(entries) entries")
    }
    var random = SplitMix64(seed: RoundRobin.seed)
    var latencies: [Duration] = []
    for _ in 0..<Self.reads {
      let stream = Int.random(in: 0..<streams, using: &random)
      let revision = Int.random(in: 0..<entries / streams, using: &random)
      let start = ContinuousClock.now
      let found = try subject.read(stream: stream, revision: revision)
      latencies.append(start.duration(to: .now))
      guard found == 1 else { throw WrongWork(description: "stream \(stream) has no revision \(revision)") }
    }
    let entry = Measurement(
      rate: latencies.reduce(.zero, +) / .microseconds(1) / Double(Self.reads), latencies: latencies)
    return (Measurement(count: entries, in: scan), entry)
  }

  private func verify() throws -> Measurement {
    let start = ContinuousClock.now
    let report = try EventLog.verify(TypedLog.place(in: directory))
    let time = start.duration(to: .now)
    guard report.isClean, report.entries == UInt64(entries) else {
      throw WrongWork(description: "'verify' found \(report)")
    }
    return Measurement(count: entries, in: time)
  }

  /// Opens the store and uses it, after `preparation` each time.
  private func open(
    times: Int, after preparation: () throws -> Void
  ) async throws -> Measurement {
    var events = RoundRobin(streams: streams)
    let event = try AnnalsSubject.prepare(events.batch(of: 1))
    var latencies: [Duration] = []
    for _ in 0..<times {
      try preparation()
      let start = ContinuousClock.now
      try await Open.use(AnnalsSubject.self, event, in: directory, expecting: entries / streams)
      latencies.append(start.duration(to: .now))
      try AnnalsSubject.waitUntilClosed(in: directory)
    }
    return Measurement(rate: Latency(latencies).p50 / 1000, latencies: latencies)
  }
}
