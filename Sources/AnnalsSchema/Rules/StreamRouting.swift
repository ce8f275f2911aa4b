package import AnnalsCoding

/// The rule of a stage that moves entries to other streams, without its types.
package struct StreamRouting: Sendable {
  /// The plan up to the stage's older version.
  package let plan: CompiledPlan
  /// The newer version.
  package let version: SchemaVersion
  /// A place for the events that an entry is at the older version.
  package let makeSink: @Sendable () -> Sink
  /// Where an entry goes whose events are in the sink; they are taken out.
  package let route: @Sendable (Sink, Origin) throws -> StreamRoute

  /// The same with another form of the plan.
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
