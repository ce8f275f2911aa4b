internal import AnnalsCoding

/// Whether the shapes of a schema version may still change, and who can live with what it writes.
public enum SchemaStability: Hashable, Sendable {
  /// The version has shipped: a store that holds a record of it in another shape does not open.
  case released
  /// The version is being worked on: its shapes may change, and what was stored in an earlier one is read as a lightweight stage would. Only the newest schema
  /// of a plan may be a draft.
  case draft
  /// The version has shipped, and programs of the version before can live with what it writes, until it is activated: they read its records as their own, or its
  /// programs store them as the older version. What can be neither does not compile to a plan (docs/schema-evolution.md).
  case bridge
}
