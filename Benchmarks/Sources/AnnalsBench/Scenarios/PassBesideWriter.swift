import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Single durable appends during a pass, compared with the same appends alone: the 99th percentile.
struct PassBesideWriter: Scenario {
  let unit = Unit.microseconds
  let log: TypedLog
  /// The pass is held to its own rate divided by this; 1 lets it run as fast as it can.
  let share: Int

  private static let alone = "without a pass"

  let name = "pass-beside-writer"
  /// A pass without a limit takes as much of the machine as it can.
  var target: Target? { share > 1 ? .within(2, of: Self.alone) : nil }
  var parameters: [String: Int] { log.parameters.merging(["share": share]) { $1 } }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let filled = try await site.stores.store(of: log)
    let free = try await TypedLog.lendCopy(of: filled, in: site.directory) { directory in
      try await WatchedPass(.rule, in: directory)
    }
    return { [self] _ in
      try await TypedLog.lendCopy(of: filled, in: site.directory) { directory in
        try await measure(in: directory, free: Double(log.entries) / (free.copying / .seconds(1)))
      }
    }
  }

  private func measure(in directory: URL, free rate: Double) async throws -> Measurement {
    let store = try EventStore(at: TypedLog.place(in: directory), plan: OneUpcast.self)
    let writer = WriterBeside(store: store, streams: log.streams)
    let before = try await writer.beside { try await Task.sleep(for: .seconds(2)) }
    var options = MigrationOptions()
    if share > 1 { options.rate = max(Int(rate) / share, 1) }
    let (pass, calls) = try await writer.beside { [options] in try await WatchedPass(store.migrate(options)) }
    let latencies = calls.map(\.time)
    let (alone, beside) = (Latency(before.calls.map(\.time)), Latency(latencies))
    var found = Measurement(rate: beside.p99, latencies: latencies)
    found.ratios = [
      Self.alone: beside.p99 / alone.p99,
      "its rate alone": Double(log.entries) / (pass.copying / .seconds(1)) / rate,
    ]
    return found
  }
}
