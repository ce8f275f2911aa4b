import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends of events with ids to a store that recognises ids by a window or by an index, compared with the
/// same appends without ids.
struct AppendWithIDs: Scenario {
  let name = "append-ids"
  let unit = Unit.entriesPerSecond
  /// How the store recognises ids.
  let idempotency: StoreOptions.Idempotency
  let batch: Int
  let streams: Int
  /// How many events a repetition appends to each store, a multiple of `batch`.
  let entries: Int

  private static let bare = "without ids"

  var parameters: [String: Int] {
    var parameters = [
      "batch": batch, "streams": streams, "entries": entries, "payload": SampleEvent.payloadBytes,
    ]
    switch idempotency {
    case .window(let count): parameters["window"] = count
    case .always: parameters["always"] = 1
    }
    return parameters
  }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    guard S.self == AnnalsSubject.self else { return nil }
    var options = StoreOptions()
    // What a flush takes has nothing to do with it.
    options.durability = .relaxed
    options.idempotency = idempotency
    let known = try EventLog(at: site.directory.appendingPathComponent("ids.annals"), options: options)
    let bare = try EventLog(at: site.directory.appendingPathComponent("bare.annals"), options: options)
    return AppendComparison(bare: Self.bare, batch: batch, streams: streams, entries: entries)
      .trial(known, bare) { _ in { $0.id = UUID() } }
  }
}
