/// Whether the shapes of a schema may still change.
public enum SchemaStability: Sendable {
  /// The schema has shipped: its shapes never change again.
  case released
  /// The schema is being worked on: its shapes may change, and stores written with it are marked as drafts.
  case draft
}
