import Annals

/// A projection passed to a command, without its type.
struct KnownProjection: Sendable {
  /// The name of the projection.
  let name: String
  /// The version of the program.
  let version: Int
  /// Returns the status of the projection's view in a store. It changes nothing.
  let look: @Sendable (StorePath) throws -> ViewStatus
  /// Begins to rebuild the view. Returns a closure that reports the progress; the build continues while it is
  /// held.
  let rebuild: @Sendable (StorePath) throws -> @Sendable () throws -> ViewStatus

  /// Describes a projection of a plan's events.
  init<Plan: SchemaMigrationPlan, P: Projection>(_ projection: P.Type, of plan: Plan.Type)
  where P.Event == Plan.Current.Event {
    name = P.name
    version = P.version
    look = { path in
      let options = StoreOptions(access: .readOnly, creation: .never)
      return try EventStore(at: path.url, plan: Plan.self, options: options).view(P.self).status()
    }
    rebuild = { path in
      let options = StoreOptions(creation: .never)
      let view = try EventStore(at: path.url, plan: Plan.self, options: options).rebuild(P.self)
      return { try view.status() }
    }
  }

  /// Describes a projection of a plan's events, by its type alone.
  static func of<Plan: SchemaMigrationPlan>(
    _ projection: any Projection<Plan.Current.Event>.Type, _ plan: Plan.Type
  ) -> KnownProjection {
    open(projection, plan)
  }

  private static func open<Plan: SchemaMigrationPlan, P: Projection>(
    _ projection: P.Type, _ plan: Plan.Type
  ) -> KnownProjection where P.Event == Plan.Current.Event {
    KnownProjection(projection, of: plan)
  }
}
