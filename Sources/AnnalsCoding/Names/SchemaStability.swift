/// Whether the shapes of a schema version may still change, and which programs can live with its events.
public enum SchemaStability: Hashable, Sendable {
  /// The version has shipped: a store that has a record of it in another shape does not open.
  case released
  /// The version is in development and its shapes may change. Events stored in an earlier draft are read as a
  /// lightweight stage would convert them. Only the newest schema of a plan may be a draft.
  case draft
  /// The version has shipped, and until it is activated, programs of the previous version can live with its
  /// events. Either they read its records as their own, or programs of this version store the records as the
  /// older version. A plan with a record that allows neither is invalid (docs/recipes/rolling-deployment.md).
  case bridge
}
