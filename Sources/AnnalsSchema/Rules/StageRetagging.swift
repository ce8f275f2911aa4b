package import AnnalsCoding

/// The rules of a stage that compute tags again, without their types.
package struct StageRetagging: Sendable {
  /// The plan up to the stage's newer version.
  package var plan: CompiledPlan
  /// The number of the stage in the plan.
  package let stage: Int
  /// The names of the tags that any of the rules computes.
  package let names: Set<ExactText>
  /// Makes a buffer for the events of an entry at the newer version.
  package let makeBuffer: @Sendable () -> EventBuffer
  /// Returns the change by the events in the buffer, and removes them from it.
  package let change: @Sendable (EventBuffer) -> TagChange

  /// Creates the rules of the last stage of `plan`.
  init<Event: SchemaEvent>(_ rules: [RetagOutline], _ plan: CompiledPlan, as event: Event.Type) {
    let byCase = Dictionary(
      rules.map { ($0.caseIndex, Set($0.names)) }, uniquingKeysWith: { $0.union($1) })
    self.plan = plan
    // The pass has been there, or goes there: it is for the main plan to say whether it may.
    self.plan.passesStreams = true
    stage = plan.stages.count - 1
    names = rules.reduce(into: []) { $0.formUnion($1.names) }
    makeBuffer = { TypedEventBuffer<Event>() }
    change = { buffer in
      guard let delivery = buffer as? TypedEventBuffer<Event> else { wrongBuffer(for: Event.self) }
      defer { delivery.keep(first: 0) }
      var change = TagChange()
      for entry in delivery.entries {
        guard let names = byCase[entry.event.caseIndex] else { continue }
        change.add(entry.event.tags, named: names)
      }
      return change
    }
  }
}

extension CompiledPlan {
  /// Returns the steps of all stored versions and types that can become records whose tags the stage numbered
  /// `index` computes again. Entries that a stage retains are none of them.
  ///
  /// - Complexity: O(plan).
  package func retaggedSteps(ofStage index: Int) -> Set<Int> {
    let cases = Set(stages[index].retags.map(\.caseIndex))
    guard !cases.isEmpty else { return [] }
    let reach = ChainOutline(
      schemas: Array(schemas[...(index + 1)]), stages: Array(stages[...index]),
      crossings: Array(crossings[...index])
    ).reach()
    var found: Set<Int> = []
    for (schema, records) in zip(schemas[...index], reach) {
      for (record, reached) in zip(schema.records, records) where !reached.isDisjoint(with: cases) {
        guard let step = indices[schema.version]?[record.name], steps[step].retainedBy == nil else {
          continue
        }
        found.insert(step)
      }
    }
    return found
  }
}
