package import AnnalsCoding
package import AnnalsLog
internal import AnnalsSchema

extension EventStore {
  /// Creates a store that only appends events of the plan's current version, regardless of other events in
  /// the log. It can write events as a program of an older version wrote them.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidPlan`.
  package init(appendingTo log: EventLog) throws(AnnalsError) {
    let contexts = StageContexts(keys: log.options.keys)
    if log.options.keys != nil { try log.attachKeys(for: "\(Plan.self)") }
    self.init(log, PlanResolver(try CompiledPlan(Plan.self, contexts)), contexts, rules: [])
  }

  /// The contexts of the plan's stages that the store keeps.
  package func contexts() throws(AnnalsError) -> FrozenContexts {
    FrozenContexts(try Activation(log, reach.plan).contexts())
  }
}
