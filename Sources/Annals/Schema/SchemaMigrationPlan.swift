/// All versions of a program's events, and how each becomes the next.
///
/// ```swift
/// enum OrderPlan: SchemaMigrationPlan {
///   static var stages: MigrationChain<OrdersV1, OrdersV2> {
///     MigrationStage.custom(fromVersion: OrdersV1.self, toVersion: OrdersV2.self) {
///       Upcast(\.placed, to: \.placed) { old, origin in .init(total: old.total, currency: "EUR") }
///     }
///   }
/// }
/// ```
///
/// The first release's plan has one schema and no stage: `static var stages: MigrationChain<OrdersV1, OrdersV1> {}`.
/// What the compiler cannot see is checked when a store is opened with the plan.
public protocol SchemaMigrationPlan: Sendable {
  /// The oldest schema that the plan reads.
  associatedtype Oldest: VersionedSchema
  /// The schema that the program's own code uses, and the only one that it writes.
  associatedtype Current: VersionedSchema
  /// The stages from the oldest schema to the current one.
  @MigrationChainBuilder static var stages: MigrationChain<Oldest, Current> { get }
  /// What is done with events that were stored without a schema version; they are refused by default.
  static var unversioned: UnversionedEvents { get }
}

extension SchemaMigrationPlan {
  /// Refused.
  public static var unversioned: UnversionedEvents { .refuse }
}
