package import AnnalsCoding

/// What a plan does with events that were stored without a schema version.
public struct UnversionedEvents: Sendable {
  /// The version that they are taken for; `nil` where they are refused.
  package let version: SchemaVersion?

  /// A store with such events does not open. This is what a plan does that says nothing.
  public static let refuse = UnversionedEvents(version: nil)

  /// They are events of `schema`, one of the plan's.
  ///
  /// The first open has to say ``StoreOptions/activating``: it reads every such event as one of the schema before anything is changed, and fails with a list of
  /// the types that do not fit. Then it notes in the store that they do.
  public static func adopt<Schema: VersionedSchema>(as schema: Schema.Type) -> UnversionedEvents {
    UnversionedEvents(version: Schema.version)
  }
}
