package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema
package import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Finds earlier entries of one generation through the links of their streams.
///
/// Entries before another one never change, so each look takes a snapshot of its own.
package final class StoredPast: StreamPast {
  private let environment: Environment
  private let tables: StoreTables
  private let kinds: KindRegistry
  private let log: UUID
  private let reach: PlanResolver
  /// The kinds that may be part of the groups that were gathered last.
  private let lastWanted = Mutex<(version: SchemaVersion, cases: FoldedCases, kinds: WantedKinds)?>(nil)

  /// - Parameters:
  ///   - environment: The generation's file.
  ///   - tables: Its tables.
  ///   - kinds: The kinds of the snapshot that entries are read from.
  ///   - log: The id of the log.
  ///   - reach: The plan that reads them.
  /// - Returns: `nil` for a plan without folds, which never looks back.
  package init?(
    _ environment: Environment, _ tables: StoreTables, _ kinds: KindRegistry, log: UUID, _ reach: PlanResolver
  ) {
    guard reach.hasFolds else { return nil }
    self.environment = environment
    self.tables = tables
    self.kinds = kinds
    self.log = log
    self.reach = reach
  }

  package func walk(
    back origin: Origin, to first: Revision, before version: SchemaVersion, into room: GroupBuffer,
    _ goesOn: () -> Bool
  ) throws(AnnalsError) {
    guard let before = reach.before(version) else { return }
    var upcaster = Upcaster(reach: before, kinds: kinds, log: log, past: self)
    passOverOthers(than: room.cases, version, &upcaster)
    let transaction = try storage { () throws(EnvironmentError) in try environment.beginRead() }
    let reader = StoreReader(transaction.view, tables)
    var position = origin.position
    var revision = origin.revision.rawValue
    let stream = try reader.header(reader.bytes(at: position), at: position).stream
    while true {
      let entry = try reader.lend(try reader.bytes(at: position), at: position)
      try reader.check(entry.header, at: position, is: Revision(revision), of: stream)
      if position != origin.position || !origin.path.isEmpty {
        if upcaster.wanted.include(entry) { try upcaster.upcast(entry, of: origin.stream, into: room) }
        guard goesOn() else { return }
      }
      guard revision > first.rawValue else { return }
      position = try reader.linked(entry.header, level: 0, from: position, in: entry.bytes)
      revision -= 1
    }
  }

  /// Leaves out entries that can become no record of a fold: an unreadable one among them must not keep a
  /// group from being folded.
  private func passOverOthers(
    than cases: FoldedCases, _ version: SchemaVersion, _ upcaster: inout Upcaster
  ) {
    let known = lastWanted.withLock { last in
      last.flatMap { $0.version == version && $0.cases == cases ? $0.kinds : nil }
    }
    if let known {
      upcaster.wanted = known
      return
    }
    upcaster.select(upcaster.reach.plan.sources(ofAny: cases.indices))
    lastWanted.withLock { [wanted = upcaster.wanted] in $0 = (version, cases, wanted) }
  }
}
