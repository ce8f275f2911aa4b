public import Annals

/// The plan of a program that knows one schema: what wrote a store before there was a stage.
public enum OneSchema<Schema: VersionedSchema>: SchemaMigrationPlan {
  /// The chain of one schema.
  public static var stages: MigrationChain<Schema, Schema> {}
}
