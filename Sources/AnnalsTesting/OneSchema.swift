public import Annals

/// The plan of a program with a single schema, from before there was a stage.
public enum OneSchema<Schema: VersionedSchema>: SchemaMigrationPlan {
  /// The chain of the schema.
  public static var stages: MigrationChain<Schema, Schema> {}
}
