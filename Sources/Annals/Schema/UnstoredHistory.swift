/// A whole log that stands in no store.
struct UnstoredHistory: HistorySource {
  let entries: [(form: StoredForm, origin: Origin)]

  func read<Event: SchemaEvent>(
    through plan: CompiledPlan, as event: Event.Type, _ body: (Entry<Event>) throws -> Void
  ) throws {
    let pipeline = PlanPipeline<Event>(plan: plan)
    for (form, origin) in entries {
      // When a stage is activated in a store, nothing newer is there yet.
      if let version = form.version, version > plan.current.version { continue }
      let lifted: [Entry<Event>]
      do throws(LiftRefusal) { lifted = try pipeline.entries(of: form, at: origin) } catch {
        throw error.error
      }
      for entry in lifted { try body(entry) }
    }
  }
}
