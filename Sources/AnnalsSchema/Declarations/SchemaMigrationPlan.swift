public import AnnalsCoding

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
  /// For versions that the chain no longer begins at, the last release of the program that could read them; none by default.
  ///
  /// A store that still has events of such a version does not open, with code `storeTooOld`, and the error names the release.
  /// A migration pass with it takes the events out of the version, but for those that a ``Retain(_:)`` keeps
  /// there: as long as a store has any, the chain has to begin at their version or before it.
  ///
  /// ```swift
  /// static var lastReleases: [SchemaVersion: String] { [SchemaVersion(1, 0, 0): "Workouts 4.2"] }
  /// ```
  static var lastReleases: [SchemaVersion: String] { get }
}

extension SchemaMigrationPlan {
  /// Refused.
  public static var unversioned: UnversionedEvents { .refuse }
  /// None.
  public static var lastReleases: [SchemaVersion: String] { [:] }
}
