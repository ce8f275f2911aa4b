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
  /// What upcasts the entries of the groups that were gathered last.
  private let lastUpcaster = Mutex<(version: SchemaVersion, cases: FoldedCases, upcaster: Upcaster)?>(nil)

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
    back origin: Origin, to oldest: Revision, before version: SchemaVersion, into room: GroupBuffer,
    _ goesOn: () -> Bool
  ) throws(AnnalsError) {
    guard let upcaster = upcaster(of: room.cases, before: version) else { return }
    room.past = self
    let transaction = try storage { () throws(EnvironmentError) in try environment.beginRead() }
    let reader = StoreReader(transaction.view, tables)
    var position = origin.position
    var revision = origin.revision.rawValue
    var first: Position?
    while true {
      let entry = try reader.lend(try reader.bytes(at: position), at: position)
      let stream = first ?? entry.stream
      first = stream
      try reader.check(entry.header, at: position, is: Revision(revision), of: stream)
      if position != origin.position || !origin.path.isEmpty {
        if Self.isRemoved(entry) { room.removed += 1 }
        if upcaster.wanted.include(entry) { try upcaster.upcast(entry, of: origin.stream, into: room) }
        guard goesOn() else { return }
      }
      guard revision > oldest.rawValue else { return }
      position = try reader.linked(entry.header, level: 0, from: position, in: entry.bytes)
      revision -= 1
    }
  }

  /// Whether a person or a limit of the stream has removed the content of an entry.
  private static func isRemoved(_ entry: borrowing LentEntry) -> Bool {
    // The cause is the first byte of a stub.
    guard entry.header.flags.contains(.stub), !entry.body.isEmpty else { return false }
    return [.erased, .truncated].contains(RemovalCause(rawValue: entry.body[0]))
  }

  /// Returns what upcasts the entries that can become a record of a fold; `nil` for a version that no fold
  /// leads to.
  ///
  /// It leaves out the others: an unreadable one among them must not keep a group from being folded. It does
  /// not know this object, which keeps it.
  private func upcaster(of cases: FoldedCases, before version: SchemaVersion) -> Upcaster? {
    let known = lastUpcaster.withLock { last in
      last.flatMap { $0.version == version && $0.cases == cases ? $0.upcaster : nil }
    }
    if let known { return known }
    guard let before = reach.before(version) else { return nil }
    var upcaster = Upcaster(reach: before, kinds: kinds, log: log, past: nil)
    upcaster.select(before.plan.sources(ofAny: cases.indices))
    lastUpcaster.withLock { [upcaster] in $0 = (version, cases, upcaster) }
    return upcaster
  }
}
