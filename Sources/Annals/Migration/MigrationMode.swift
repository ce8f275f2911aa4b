/// When the older entries of a store are rewritten in the plan's current version.
///
/// Whatever is chosen, every reader gets every event in the current version: an entry that is not rewritten yet is lifted as it is read. A plan with a stage that moves
/// entries to other streams, by ``Streams(_:)``, does not open a store that has older entries, `requiresPass`, with any mode but ``beforeOpen(_:)``, which runs the passes
/// that are due first.
public enum MigrationMode: Sendable {
  /// Never by itself: entries are lifted as they are read, until somebody runs a migration pass.
  case onRead
  /// By a pass that begins when the store is open and goes on beside reads and appends. It ends with the store, and the next open goes on.
  case inBackground(MigrationOptions = MigrationOptions())
  /// By a pass that is over before the open returns, however long that takes. Where it fails the open fails.
  case beforeOpen(MigrationOptions = MigrationOptions())
  /// Not at all: a store that has older entries does not open, `requiresPass`.
  case refuse
}
