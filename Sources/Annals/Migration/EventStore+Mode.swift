extension EventStore {
  /// What the mode of migration asks for at an open, behind all checks of the plan.
  ///
  /// - Returns: The pass that goes on beside the store, if there is to be one.
  static func migrate(
    _ log: EventLog, _ work: PassWork, _ mode: MigrationMode
  ) throws(AnnalsError) -> BackgroundMigration? {
    switch mode {
    case .onRead:
      return nil
    case .refuse:
      guard try isDue(log, work) else { return nil }
      throw AnnalsError(
        .requiresPass,
        "the store has events of versions below \(work.reach?.plan.current.version.description ?? "the plan's"), and was opened to be refused then: run 'migrate', or open it with another mode of migration"
      )
    case .beforeOpen(let options):
      guard log.options.access == .readWrite, try isDue(log, work) else { return nil }
      _ = try PassRunner.start(log, work, options).join()
      return nil
    case .inBackground(let options):
      guard log.options.access == .readWrite, try isDue(log, work) else { return nil }
      return BackgroundMigration(try PassRunner.start(log, work, options))
    }
  }

  /// Whether the store has entries that a pass would rewrite.
  private static func isDue(_ log: EventLog, _ work: PassWork) throws(AnnalsError) -> Bool {
    try log.read { (snapshot) throws(AnnalsError) in
      try work.isDue(snapshot.reader.census(), snapshot.kinds)
    }
  }

  /// The pass that was begun by the open, where its mode is ``MigrationMode/inBackground(_:)`` and there was anything to do; also after its end.
  public var migration: MigrationRun? { background?.run }

  /// Throws unless the plan begins no earlier than the one of the last migration pass: what it gave up is not taken up again.
  static func mustNotLower(_ plan: CompiledPlan, _ log: EventLog) throws(AnnalsError) {
    let stored = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.oldest() }
    guard let stored, let oldest = plan.schemas.first?.version, oldest < stored else { return }
    throw AnnalsError(
      .superseded,
      "the plan begins at version \(oldest), and a migration pass has been run with one that begins at \(stored): use that program or a later one",
      details: AnnalsError.Details { $0.version = stored })
  }
}
