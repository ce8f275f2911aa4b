#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A whole log that stands in no store.
struct UnstoredHistory: HistorySource {
  let entries: [(form: StoredForm, origin: Origin)]

  /// That of its entries; of a log without any nobody asks for it.
  var id: UUID { entries.first?.origin.log ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

  func read<Event: SchemaEvent>(
    through plan: CompiledPlan, as event: Event.Type, _ body: (Entry<Event>) throws -> Void
  ) throws {
    let pipeline = PlanPipeline<Event>(plan: plan)
    let past = pipeline.past(of: entries)
    for (form, origin) in entries {
      // When a stage is activated in a store, nothing newer is there yet.
      if let version = form.version, version > plan.newestStored ?? plan.current.version { continue }
      let lifted: [Entry<Event>]
      do throws(LiftRefusal) { lifted = try pipeline.entries(of: form, at: origin, past: past) } catch {
        throw error.error
      }
      for entry in lifted { try body(entry) }
    }
  }
}
