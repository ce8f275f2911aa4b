import Synchronization

/// Where a store's readers report the entries that they pass over.
final class Quarantine: Sendable {
  private let sink: @Sendable (QuarantinedEntry) -> Void
  private let reports = Mutex<UInt64>(0)

  init(_ report: @escaping @Sendable (QuarantinedEntry) -> Void) {
    sink = report
  }

  /// The quarantine that the options of an open ask for; `nil` where readers stop.
  convenience init?(_ unreadable: StoreOptions.Unreadable) {
    guard case .quarantine(let report) = unreadable else { return nil }
    self.init(report)
  }

  /// How often an entry was passed over.
  var count: UInt64 { reports.withLock { $0 } }

  /// Reports an entry; `false` where the error does not come from the entry alone, so that passing over it would hide more than one.
  func takes(_ entry: borrowing LentEntry, of stream: StreamName, because error: AnnalsError) -> Bool {
    guard error.code == .malformed || error.code == .ruleFailed, let type = error.details.type else {
      return false
    }
    report(
      QuarantinedEntry(
        position: entry.position, stream: stream, revision: entry.revision, type: type,
        version: error.details.version, cause: error))
    return true
  }

  /// Counts and reports an entry that is passed over.
  func report(_ entry: QuarantinedEntry) {
    // The number only ever rises, and no machine reads 2^64 entries.
    reports.withLock { $0 &+= 1 }
    sink(entry)
  }
}
