internal import AnnalsCoding
internal import AnnalsSchema

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// A whole log outside a store.
struct UnstoredHistory: HistorySource {
  let entries: [(form: StoredForm, origin: Origin)]

  var quarantine: Quarantine? { nil }

  /// The id of its entries' log; unused for a log without entries.
  var id: UUID { entries.first?.origin.log ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

  func read<Event: SchemaEvent>(
    through plan: CompiledPlan, as event: Event.Type, selecting cases: Set<Int>?,
    _ body: (HistoryItem<Event>) throws -> Void
  ) throws {
    let pipeline = PlanPipeline<Event>(plan: plan)
    let past = pipeline.past(of: entries)
    let steps = cases.map { plan.sources(ofAny: $0) }
    for (form, origin) in entries {
      // When a stage is activated in a store, nothing newer is there yet.
      if let version = form.version, version > plan.newestStored ?? plan.current.version { continue }
      guard plan.wants(form, steps) else { continue }
      let lifted: [Entry<Event>]
      do throws(UpcastRefusal) { lifted = try pipeline.entries(of: form, at: origin, past: past) } catch {
        throw error.error
      }
      for entry in lifted { try body(.entry(entry)) }
    }
  }
}

extension CompiledPlan {
  /// Whether a payload begins with one of `steps`, or cannot be read at all; `nil` for all steps.
  func wants(_ form: StoredForm, _ steps: Set<Int>?) -> Bool {
    guard let steps, let entrance = try? entrance(of: form.kind, unversioned: adopted) else { return true }
    return steps.contains(entrance.step)
  }
}
