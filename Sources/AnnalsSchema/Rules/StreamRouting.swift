package import AnnalsCoding

/// The rule of a stage that moves entries to other streams, without its types.
package struct StreamRouting: Sendable {
  /// The plan up to the stage's older version.
  package let plan: CompiledPlan
  /// The newer version.
  package let version: SchemaVersion
  /// Makes a sink for the events of an entry at the older version.
  package let makeSink: @Sendable () -> Sink
  /// Returns the destination of the entry whose events are in the sink, and removes them from it.
  package let route: @Sendable (Sink, Origin) throws -> StreamRoute

  /// Creates the same routing with another form of the plan.
  package init(_ other: StreamRouting, plan: CompiledPlan) {
    self.plan = plan
    version = other.version
    makeSink = other.makeSink
    route = other.route
  }

  init<From: VersionedSchema>(_ rule: StreamRule<From>, behind plan: CompiledPlan, to version: SchemaVersion)
  {
    self.plan = plan
    self.version = version
    makeSink = { Delivery<From.Event>() }
    route = { sink, origin in
      guard let delivery = sink as? Delivery<From.Event> else { wrongSink(for: From.Event.self) }
      defer { delivery.keep(first: 0) }
      return try rule.route(delivery.entries.map(\.event), origin)
    }
  }
}
