internal import AnnalsCoding
internal import AnnalsSchema

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A log that a pass has moved to other streams: what it was stands in the old generation, and what it has become in the new one.
struct MovedHistory: HistorySource {
  /// The history up to the stage that moves entries.
  let older: LogHistory
  /// The new generation.
  let target: RewriteSource
  /// The version that the pass leads to.
  let version: SchemaVersion

  var id: UUID { older.id }
  var quarantine: Quarantine? { older.quarantine }

  /// How many positions are read in one snapshot.
  private static let page: UInt64 = 1_024

  func read<Event: SchemaEvent>(
    through plan: CompiledPlan, as event: Event.Type, selecting cases: Set<Int>?,
    _ body: (HistoryItem<Event>) throws -> Void
  ) throws {
    guard plan.current.version == version else {
      return try older.read(through: plan, as: event, selecting: cases, body)
    }
    var plan = plan
    plan.adopted = older.adopted
    // The new generation has everything under the newer version: what the stage has been through cannot be told by that.
    plan.newestStored = version
    plan.passesStreams = true
    let reach = PlanReach(plan, older.quarantine, isAdopting: true)
    let steps = cases.map { plan.sources(ofAny: $0) }
    let delivery = Delivery<Event>()
    var origins = EntryOrigin(log: target.log)
    var next: UInt64 = 1
    while next <= older.last {
      let end = min(older.last, next + Self.page - 1)
      var lifting = EntryLifting(reach: reach, kinds: KindRegistry(), of: target)
      try target.read(
        next...end,
        { (kinds) in
          lifting = EntryLifting(reach: reach, kinds: kinds, of: target)
          if let steps { lifting.pass(over: steps) }
        },
        { (entry, reader) throws(AnnalsError) in
          guard lifting.wants(entry) else { return true }
          try lifting.lift(entry, of: origins.name(of: entry.stream, reader), into: delivery)
          return true
        })
      for entry in delivery.entries { try body(.entry(entry)) }
      delivery.keep(first: 0)
      next = end + 1
    }
  }
}
