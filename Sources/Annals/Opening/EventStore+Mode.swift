package import AnnalsCoding
package import AnnalsLog
public import AnnalsMigration
internal import AnnalsSchema
public import AnnalsStore

extension EventStore {
  /// Whether an open with this mode has a pass to run.
  ///
  /// - Throws: ``AnnalsError`` with code `requiresPass` if the mode refuses older entries and there are any.
  package static func isDue(
    _ log: EventLog, _ work: PassWork, _ mode: MigrationMode
  ) throws(AnnalsError) -> Bool {
    if case .onRead = mode { return false }
    let isDue = try log.read { (snapshot) throws(AnnalsError) in
      try work.isDue(snapshot.reader.census(), snapshot.kinds)
    }
    guard case .refuse = mode, isDue else { return isDue && log.options.access == .readWrite }
    throw AnnalsError(
      .requiresPass,
      "the store has events of versions below \(work.reach?.plan.current.version.description ?? "the plan's"), and was opened to be refused then: run 'migrate', or open it with another mode of migration"
    )
  }

  /// Runs or begins the pass that a mode requests, if one is due.
  ///
  /// - Returns: The pass that runs in the background of the store, if there is one.
  package static func migrate(
    _ log: EventLog, _ work: PassWork, _ mode: MigrationMode
  ) throws(AnnalsError) -> BackgroundMigration? {
    switch mode {
    case .onRead, .refuse: return nil
    case .beforeOpen(var options):
      options.discardsOthers = true
      _ = try PassRunner.start(log, work, options).join(log.options.watch)
      return nil
    case .inBackground(var options):
      options.discardsOthers = true
      return BackgroundMigration(try PassRunner.start(log, work, options))
    }
  }

  /// The pass that the open has begun, if its mode is ``MigrationMode/inBackground(_:)`` and there was
  /// anything to do. It remains available after it ends.
  public var migration: MigrationRun? { attachments.value(BackgroundMigration.self)?.run }
}
