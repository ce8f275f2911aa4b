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

  /// Whether entries that cannot be lifted are passed over.
  var passesOverUnreadable = false

  var id: UUID { log.id }

  /// Whether the log has events that were stored below `version`: there is nothing that a stage to it could compare otherwise.
  func isStored(below version: SchemaVersion) throws(AnnalsError) -> Bool {
    let adopted = adopted
    return try log.read { (snapshot) throws(AnnalsError) in
      let kinds = snapshot.kinds.kinds
      return try snapshot.reader.census().contains { number, row in
        guard row.parts > 0, let stored = kinds[number].flatMap({ $0.version ?? adopted }) else {
          return false
        }
        return stored < version
      }
    }
  }

  func read<Event: SchemaEvent>(
    through plan: CompiledPlan, as event: Event.Type, _ body: (Entry<Event>) throws -> Void
  ) throws {
    var plan = plan
    plan.adopted = adopted
    // They were stored by programs that had the newer version already, before anyone activated it: no rule of the stage will see them.
    plan.newestStored = plan.newestStored ?? plan.current.version
    let reach = PlanReach(
      plan, passesOverUnreadable ? Quarantine(.quarantine { _ in }) : nil, isAdopting: true)
    var next = Position(1)
    // A page a snapshot, so that a long history keeps no replaced pages from being used again.
    while next.rawValue <= last {
      let snapshot = try StoreSnapshot<Event>(log.core, reach)
      var entries = try snapshot.entries(from: next)
      var count = 0
      while let entry = try entries.next() {
        if entry.position.rawValue > last { return }
        if count >= 4096, entry.position >= next { break }
        try body(entry)
        count += 1
        next = Position(entry.position.rawValue + 1)
      }
      if count == 0 { return }
    }
  }
}
