/// A pass that goes on beside a store, and ends with it.
final class BackgroundMigration: Sendable {
  /// The pass.
  let run: MigrationRun

  init(_ run: MigrationRun) {
    self.run = run
  }

  deinit {
    // What is done is kept for the next open.
    run.stop()
  }
}
