package import AnnalsCoding
package import AnnalsFormat

extension Quarantine {
  /// Creates the quarantine that the options of an open request; `nil` if readers stop.
  package convenience init?(_ unreadable: StoreOptions.Unreadable, _ observer: (any StoreObserver)? = nil) {
    guard case .quarantine(let report) = unreadable else { return nil }
    self.init { entry in
      observer?.quarantined(entry)
      report(entry)
    }
  }

  /// Reports an entry; `false` if other entries may share the cause, so that skipping this one would hide
  /// them.
  package func takes(_ entry: borrowing LentEntry, of stream: StreamName, because error: AnnalsError) -> Bool
  {
    guard Self.mayTake(error), let type = error.details.type else { return false }
    report(
      QuarantinedEntry(
        position: entry.position, stream: stream, revision: entry.revision, type: type,
        version: error.details.version, cause: error))
    return true
  }

  /// Whether readers with a quarantine skip an entry for this reason.
  package static func mayTake(_ error: AnnalsError) -> Bool {
    (error.code == .malformed || error.code == .ruleFailed) && error.details.type != nil
  }
}
