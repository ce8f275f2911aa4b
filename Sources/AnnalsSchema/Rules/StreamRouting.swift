package import AnnalsCoding

/// The rule of a stage that moves entries to other streams, without its types.
package struct StreamRouting: Sendable {
  /// The plan up to the stage's older version.
  package let plan: CompiledPlan
  /// The newer version.
  package let version: SchemaVersion
  /// Makes a buffer for the events of an entry at the older version.
  package let makeBuffer: @Sendable () -> EventBuffer
  /// Returns the destination of the entry whose events are in the buffer, and removes them from it.
  package let route: @Sendable (EventBuffer, Origin) throws -> StreamRoute

  /// Creates the same routing with another form of the plan.
  package init(_ other: StreamRouting, plan: CompiledPlan) {
    self.plan = plan
    version = other.version
    makeBuffer = other.makeBuffer
    route = other.route
  }

  init<From: VersionedSchema>(_ rule: StreamRule<From>, after plan: CompiledPlan, to version: SchemaVersion) {
    self.plan = plan
    self.version = version
    makeBuffer = { TypedEventBuffer<From.Event>() }
    route = { buffer, origin in
      guard let delivery = buffer as? TypedEventBuffer<From.Event> else { wrongBuffer(for: From.Event.self) }
      defer { delivery.keep(first: 0) }
      return try rule.route(delivery.entries.map(\.event), origin)
    }
  }
}
