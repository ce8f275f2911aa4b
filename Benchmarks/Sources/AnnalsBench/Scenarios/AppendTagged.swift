import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends of large batches of events with one tag each, compared with the same batches without tags.
struct AppendTagged: Scenario {
  let name = "append-tagged"
  let unit = Unit.entriesPerSecond
  let target: Target? = .part(0.6, of: bare)
  let batch: Int
  let streams: Int
  /// The number of distinct tags, which the events have in turns, in random order.
  let tags: Int
  /// How many events a repetition appends to each store, a multiple of `batch`.
  let entries: Int

  private static let bare = "without tags"

  var parameters: [String: Int] {
    [
      "batch": batch, "streams": streams, "tags": tags, "entries": entries,
      "payload": SampleEvent.payloadBytes,
    ]
  }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    let tagged = try EventLog(at: site.directory.appendingPathComponent("tagged.annals"))
    let bare = try EventLog(at: site.directory.appendingPathComponent("bare.annals"))
    let comparison = AppendComparison(bare: Self.bare, batch: batch, streams: streams, entries: entries)
    return comparison.trial(tagged, bare) { [tags] seed in
      var order = RoundRobin(streams: tags, seed: ~seed)
      return { $0.tags = [EventTag("tag", order.stream())] }
    }
  }
}
