internal import AnnalsMigration

/// A pass that runs in the background of a store, and ends with it.
package final class BackgroundMigration: Sendable {
  /// The pass.
  let run: MigrationRun

  init(_ run: MigrationRun) {
    self.run = run
  }

  deinit {
    // Completed work is kept for the next open.
    run.stop()
  }
}
