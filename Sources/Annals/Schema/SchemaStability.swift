/// Whether the shapes of a schema version may still change.
public enum SchemaStability: Hashable, Sendable {
  /// The version has shipped: a store that holds a record of it in another shape does not open.
  case released
  /// The version is being worked on: its shapes may change, and what was stored in an earlier one is read as a lightweight stage would. Only the newest schema
  /// of a plan may be a draft.
  case draft
}
