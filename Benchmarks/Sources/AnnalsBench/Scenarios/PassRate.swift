import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A pass over a store without writers, compared with liblmdb and SQLite at similar work.
///
/// `lmdb` appends as many payloads, in commits of the same size. `sqlite` rewrites the rows in one
/// transaction.
struct PassRate: Scenario {
  let unit = Unit.entriesPerSecond
  let work: WatchedPass.Work
  let log: TypedLog
  /// Whether all of the pass is timed, or only the copying of entries.
  let isWhole: Bool
  /// The entries of the older generation that are upcast again.
  var comparison = MigrationOptions.Comparison.full

  /// The bytes of entries in a durable commit of a pass.
  static let batchBytes = 16 << 20

  var name: String {
    "pass-\(work.rawValue)\(comparison == .sampled ? "-sampled" : "")\(isWhole ? "" : "-copy")"
  }
  var parameters: [String: Int] { log.parameters }
  var target: Target? {
    guard isWhole else { return .part(work == .rule ? 0.4 : 0.6, of: LMDBPeer.name) }
    switch (work, comparison) {
    case (.rule, .full):
      return .both(.part(log.streams < 100_000 ? 0.45 : 0.35, of: LMDBPeer.name), .part(2, of: "sqlite"))
    case (.carried, _): return .part(0.7, of: LMDBPeer.name)
    default: return nil
    }
  }

  func trial<S: Subject>(of subject: S.Type, at site: Site) async throws -> Trial? {
    if S.self == AnnalsSubject.self { return try await pass(at: site) }
    if S.self == LMDBPeer.self { return Self.appending(log, at: site) }
    #if HAS_SQLITE
      if S.self == SQLitePeer.self, work == .rule {
        let rows = try RowsOfEvents(log, in: site.directory)
        return { _ in try rows.rewrite() }
      }
    #endif
    return nil
  }

  private func pass(at site: Site) async throws -> Trial {
    let filled = try await site.stores.store(of: log)
    var options = MigrationOptions()
    options.comparison = comparison
    return { [self, options] _ in
      try await TypedLog.lendCopy(of: filled, in: site.directory) { directory in
        let copying = try CompactingCopy.time(of: directory)
        let pass = try await WatchedPass(work, in: directory, options)
        let time = isWhole ? pass.whole : pass.copying
        var found = Measurement(count: log.entries, in: time)
        // The pass's rate as a share of LMDB's own copy, and of each phase alone.
        found.ratios["mdb_copy -c"] = copying / time
        if isWhole { found.ratios.merge(pass.shares) { $1 } }
        return found
      }
    }
  }

  /// Appends payloads of the same size to a new bare table, with commits of the same size.
  static func appending(_ log: TypedLog, at site: Site) -> Trial {
    { _ in
      try await Workplace.lend(inside: site.directory) { directory in
        let peer = try LMDBPeer(creatingIn: directory)
        var events = RoundRobin(streams: log.streams)
        let most = batchBytes / TypedLog.entryBytes
        let batch = LMDBPeer.prepare(events.batch(of: min(most, log.entries)))
        var left = log.entries
        let start = ContinuousClock.now
        while left > 0 {
          try await peer.append(left < batch.count ? Array(batch.prefix(left)) : batch)
          left -= min(left, batch.count)
        }
        return Measurement(count: log.entries, in: start.duration(to: .now))
      }
    }
  }
}
