public import AnnalsCoding

/// All versions of a program's events, and the conversion of each version to the next.
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
/// The plan of the first release has one schema and no stage:
/// `static var stages: MigrationChain<OrdersV1, OrdersV1> {}`. Opening a store with the plan checks
/// everything that the compiler cannot see.
public protocol SchemaMigrationPlan: Sendable {
  /// The oldest schema that the plan reads.
  associatedtype Oldest: VersionedSchema
  /// The schema that the program's own code uses, and the only one in which it appends events.
  associatedtype Current: VersionedSchema
  /// The stages from the oldest schema to the current one.
  @MigrationChainBuilder static var stages: MigrationChain<Oldest, Current> { get }
  /// The policy for events that were stored without a schema version; they are refused by default.
  static var unversioned: UnversionedEvents { get }
  /// For each version older than the chain's first, the last program release that could read it; none by
  /// default.
  ///
  /// A store that still has events of such a version does not open. The error has code `storeTooOld` and
  /// names the release. A migration pass with that release leaves no events in the version, except those that
  /// a ``Retain(_:)`` keeps there. As long as a store has any of these, the chain must begin at their version
  /// or earlier.
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
