package import AnnalsCoding

/// The policy of a plan for events that were stored without a schema version.
public struct UnversionedEvents: Sendable {
  /// The version that the events are read as; `nil` if they are refused.
  package let version: SchemaVersion?

  /// Refuses to open a store with such events. This is the default of a plan.
  public static let refuse = UnversionedEvents(version: nil)

  /// Reads the events as events of `schema`, one of the plan's schemas.
  ///
  /// The first open must set ``StoreOptions/activating``. It reads every such event as one of the schema
  /// before it changes anything, and fails with a list of the types that do not fit. If all events fit, it
  /// records this in the store.
  public static func adopt<Schema: VersionedSchema>(as schema: Schema.Type) -> UnversionedEvents {
    UnversionedEvents(version: Schema.version)
  }
}
