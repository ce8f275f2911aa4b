/// When the older entries of a store are rewritten in the plan's current version.
///
/// In every mode, every reader receives every event in the current version: an entry that is not rewritten
/// yet is upcast as it is read. A plan with a stage that moves entries to other streams, by ``Streams(_:)``,
/// does not open a store that has older entries (`requiresPass`). Only ``beforeOpen(_:)`` opens it, and runs
/// the due passes first.
public enum MigrationMode: Sendable {
  /// Never without a request: entries are upcast as they are read, until a migration pass is run.
  case onRead
  /// By a pass that begins when the store is open and runs alongside reads and appends. It ends with the
  /// store, and the next open continues it.
  case inBackground(MigrationOptions = MigrationOptions())
  /// By a pass that ends before the open returns, however long that takes. If it fails, the open fails.
  case beforeOpen(MigrationOptions = MigrationOptions())
  /// Not at all: a store that has older entries fails to open with `requiresPass`.
  case refuse
}
