package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema
import Synchronization

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The entries of a log up to one position, which is the same history however often it is read.
package struct LogHistory: HistorySource {
  package let log: EventLog
  /// The position of the last entry that belongs to it.
  package let last: UInt64
  /// The version that events without one are taken for.
  package let adopted: SchemaVersion?

  /// Reports entries that cannot be upcast, which are then skipped; `nil` if such an entry ends the read.
  package var quarantine: Quarantine?
  /// The watch of the open that reads the history; `nil` if no open does.
  package var watch: OpenWatch?

  package init(log: EventLog, last: UInt64, adopted: SchemaVersion? = nil, quarantine: Quarantine? = nil) {
    self.log = log
    self.last = last
    self.adopted = adopted
    self.quarantine = quarantine
  }

  package var id: UUID { log.id }

  /// Whether the log has events that were stored below `version`. Otherwise a stage to it has nothing to
  /// compare.
  ///
  /// Events that `plan` retains stay in their version, and do not count.
  package func isStored(below version: SchemaVersion, of plan: CompiledPlan) throws(AnnalsError) -> Bool {
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

  package func read<Event: SchemaEvent>(
    through plan: CompiledPlan, as event: Event.Type, selecting cases: Set<Int>?,
    _ body: (HistoryItem<Event>) throws -> Void
  ) throws {
    var plan = plan
    plan.adopted = adopted
    // Programs that already had the newer version stored them before its activation: no rule of the stage
    // will see them.
    plan.newestStored = plan.newestStored ?? plan.current.version
    let passed = PassedEntries()
    let isQuarantining = quarantine != nil
    let reach = PlanResolver(plan, quarantine.map { passed.quarantine(before: $0) }, isAdopting: true)
    let steps = cases.map { plan.sources(ofAny: $0) }
    var reader = EntryReader(log.core, .log(from: nil), limit: Int(clamping: last))
    let buffer = TypedEventBuffer<Event>()
    var end: PageEnd
    repeat {
      var items: [HistoryItem<Event>] = []
      end = try reader.page { (cursor, snapshot) throws(AnnalsError) in
        let upcaster = try snapshot.upcaster(reach, selecting: steps)
        return cursor.page(PageLimits(elements: .max), of: upcaster.wanted) {
          (entry, stream) throws(AnnalsError) in
          try upcaster.upcast(entry, of: stream, into: buffer)
          if isQuarantining { for entry in passed.take() { items.append(.passedOver(entry)) } }
          for entry in buffer.entries { items.append(.entry(entry)) }
          buffer.keep(first: 0)
          return items.count
        }
      }
      for item in items { try body(item) }
      try watch?.advance(.preparing, end.last?.rawValue ?? 0, of: last)
      if let error = end.failure { throw error }
    } while !end.isLast
  }
}

/// The entries that a history has skipped and not yet returned.
private final class PassedEntries: Sendable {
  private let entries = Mutex<[QuarantinedEntry]>([])

  /// A quarantine that reports to `other` and keeps what it reports.
  func quarantine(before other: Quarantine) -> Quarantine {
    Quarantine { [self] entry in
      other.report(entry)
      entries.withLock { $0.append(entry) }
    }
  }

  /// Returns the kept entries, oldest first, and removes them.
  func take() -> [QuarantinedEntry] {
    entries.withLock { entries in
      defer { entries.removeAll() }
      return entries
    }
  }
}
