#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends to many existing streams, compared with the same appends to few.
///
/// The process that appends has also filled both stores with the same number of entries. Anything that a
/// subject keeps in memory about its streams is therefore there.
struct AppendWarm: Scenario {
  let name = "append-warm"
  let unit = Unit.entriesPerSecond
  let target: Target? = .part(0.35, of: few)
  let batch: Int
  let streams: Int
  /// How many events a repetition appends to each store, a multiple of `batch`.
  let entries: Int
  /// A peer that takes longer is stopped after this time.
  let patience: Duration

  private static let fewStreams = 1_000
  private static let few = "\(fewStreams) streams"

  var parameters: [String: Int] {
    ["batch": batch, "streams": streams, "entries": entries, "payload": SampleEvent.payloadBytes]
  }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    let many = try await filled(subject, streams: streams, in: site.directory)
    let few = try await filled(subject, streams: Self.fewStreams, in: site.directory)
    return { [self] repetition in
      // In turns, as subjects are.
      if repetition.isMultiple(of: 2) {
        let first = try await append(to: many, streams: streams, repetition)
        let second = try await append(to: few, streams: Self.fewStreams, repetition)
        return compared(first, with: second)
      }
      let first = try await append(to: few, streams: Self.fewStreams, repetition)
      let second = try await append(to: many, streams: streams, repetition)
      return compared(second, with: first)
    }
  }

  private func filled<S: Subject>(_: S.Type, streams: Int, in directory: URL) async throws -> S {
    let place = directory.appendingPathComponent("\(streams)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    let subject = try S(creatingIn: place)
    try await Filling(streams: streams, entriesPerStream: self.streams / streams).fill(subject)
    return subject
  }

  private func append<S: Subject>(
    to subject: S, streams: Int, _ repetition: Int
  ) async throws -> Measurement {
    var events = RoundRobin(streams: streams, seed: RoundRobin.seed + UInt64(repetition) + 1)
    let batches = try (0..<entries / batch).map { _ in try S.prepare(events.batch(of: batch)) }
    var flow = Flow()
    for batch in batches where S.self == AnnalsSubject.self || flow.time < patience {
      try await flow.append(batch, of: self.batch, to: subject)
    }
    return flow.measurement
  }

  private func compared(_ many: Measurement, with few: Measurement) -> Measurement {
    var many = many
    many.ratios = [Self.few: many.rate / few.rate]
    return many
  }
}
