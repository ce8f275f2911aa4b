internal import AnnalsCoding
internal import AnnalsSchema
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The entries of a log up to one position, which is the same history however often it is read.
struct LogHistory: HistorySource {
  let log: EventLog
  /// The position of the last entry that belongs to it.
  let last: UInt64
  /// The version that events without one are taken for.
  let adopted: SchemaVersion?

  /// Where entries that cannot be upcast are reported, which are then passed over; `nil` where they end the
  /// reading.
  var quarantine: Quarantine?

  /// How many entries are met in one snapshot, so that a long history keeps no replaced pages from being used
  /// again.
  private static let page = 4_096

  var id: UUID { log.id }

  /// Whether the log has events that were stored below `version`: there is nothing that a stage to it could compare otherwise.
  ///
  /// What `plan` retains stays in its version, and does not count.
  func isStored(below version: SchemaVersion, of plan: CompiledPlan) throws(AnnalsError) -> Bool {
    let adopted = adopted
    return try log.read { (snapshot) throws(AnnalsError) in
      let kinds = snapshot.kinds
      return try snapshot.reader.census().contains { number, row in
        guard row.parts > 0, let kind = kinds.kinds[number], let stored = kind.version ?? adopted else {
          return false
        }
        return stored < version && plan.retaining(kind, in: kinds) == nil
      }
    }
  }

  func read<Event: SchemaEvent>(
    through plan: CompiledPlan, as event: Event.Type, selecting cases: Set<Int>?,
    _ body: (HistoryItem<Event>) throws -> Void
  ) throws {
    var plan = plan
    plan.adopted = adopted
    // They were stored by programs that had the newer version already, before anyone activated it: no rule of the stage will see them.
    plan.newestStored = plan.newestStored ?? plan.current.version
    let passed = PassedEntries()
    let reach = PlanReach(plan, quarantine.map { passed.quarantine(before: $0) }, isAdopting: true)
    let steps = cases.map { plan.sources(ofAny: $0) }
    var next = Position(1)
    while next.rawValue <= last {
      let snapshot = try StoreSnapshot<Event>(log.core, reach, passingOverAllBut: steps)
      var entries = try snapshot.entries(from: next)
      for _ in 0..<Self.page where next.rawValue <= last {
        guard try entries.advance() else { return }
        next = Position(next.rawValue + 1)
        for entry in passed.take() { try body(.passedOver(entry)) }
        while let entry = entries.delivery.take(backwards: false) { try body(.entry(entry)) }
      }
    }
  }
}

/// The entries that a history has passed over and not handed out yet.
private final class PassedEntries: Sendable {
  private let entries = Mutex<[QuarantinedEntry]>([])

  /// A quarantine that reports to `other` and keeps what it reports.
  func quarantine(before other: Quarantine) -> Quarantine {
    Quarantine { [self] entry in
      other.report(entry)
      entries.withLock { $0.append(entry) }
    }
  }

  /// What was kept, oldest first.
  func take() -> [QuarantinedEntry] {
    entries.withLock { entries in
      defer { entries.removeAll() }
      return entries
    }
  }
}
