internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// A log that a pass has moved to other streams: what it was is in the old generation, and what it has become
/// in the new one.
struct MovedHistory: HistorySource {
  /// The history up to the stage that moves entries.
  let older: LogHistory
  /// The new generation.
  let target: RewriteSource
  /// The version that the pass leads to.
  let version: SchemaVersion

  var id: UUID { older.id }
  var quarantine: Quarantine? { older.quarantine }

  func read<Event: SchemaEvent>(
    through plan: CompiledPlan, as event: Event.Type, selecting cases: Set<Int>?,
    _ body: (HistoryItem<Event>) throws -> Void
  ) throws {
    guard plan.current.version == version else {
      return try older.read(through: plan, as: event, selecting: cases, body)
    }
    var plan = plan
    plan.adopted = older.adopted
    // The new generation has everything under the newer version: the versions do not
    // show which entries the stage has passed.
    plan.newestStored = version
    plan.passesStreams = true
    let reach = PlanResolver(plan, older.quarantine, isAdopting: true)
    let selected = cases.map { plan.sources(ofAny: $0) }
    let buffer = TypedEventBuffer<Event>()
    let log = LogSteps(start: nil, backwards: false, last: older.last, limit: .max)
    var steps = EntrySteps(log: log, names: StreamNames(limit: 131_072))
    var end: PageEnd
    repeat {
      end = try target.read { (reader, kinds) throws(AnnalsError) in
        var upcaster = Upcaster(reach: reach, kinds: kinds, of: target)
        if let selected { upcaster.select(selected) }
        var cursor = try EntryCursor(reader, steps)
        // The cursor alone has the names now, so that a name it meets does not make it copy them all.
        steps = EntrySteps()
        defer { steps = cursor.steps }
        return cursor.events(PageLimits(elements: .max), through: upcaster, into: buffer)
      }
      for entry in buffer.entries { try body(.entry(entry)) }
      buffer.keep(first: 0)
      if let error = end.failure { throw error }
    } while !end.isLast
  }
}
