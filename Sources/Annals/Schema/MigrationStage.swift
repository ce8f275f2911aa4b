/// The step between two neighbouring versions of a schema.
public struct MigrationStage<From: VersionedSchema, To: VersionedSchema>: Sendable {
  /// The rules in the order in which they are written.
  let rules: [Rule<From, To>]

  /// A stage with a rule for each record that does not stay what it is.
  ///
  /// A record type that both schemas name needs no rule: it is carried as it is.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema.
  ///   - rules: What happens to the other records: `Upcast`, `Split` and `Drop`.
  public static func custom(
    fromVersion: From.Type, toVersion: To.Type, @RuleBuilder<From, To> rules: () -> [Rule<From, To>]
  ) -> Self {
    Self(rules: rules())
  }

  /// A stage in which every record of the older schema is carried as it is.
  ///
  /// - Parameters:
  ///   - fromVersion: The older schema.
  ///   - toVersion: The newer schema, which names all records of the older one and may name more.
  public static func custom(fromVersion: From.Type, toVersion: To.Type) -> Self {
    Self(rules: [])
  }
}
