internal import AnnalsCoding
internal import AnnalsSchema

extension EventStore {
  /// Whether an open with this mode has a pass to run.
  ///
  /// - Throws: ``AnnalsError`` with code `requiresPass` if the mode refuses older entries and there are any.
  static func isDue(
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
  static func migrate(
    _ log: EventLog, _ work: PassWork, _ mode: MigrationMode
  ) throws(AnnalsError) -> BackgroundMigration? {
    switch mode {
    case .onRead, .refuse: return nil
    case .beforeOpen(var options):
      options.discardsOthers = true
      _ = try PassRunner.start(log, work, options).join()
      return nil
    case .inBackground(var options):
      options.discardsOthers = true
      return BackgroundMigration(try PassRunner.start(log, work, options))
    }
  }

  /// The pass that the open has begun, if its mode is ``MigrationMode/inBackground(_:)`` and there was
  /// anything to do. It remains available after it ends.
  public var migration: MigrationRun? { background?.run }

  /// Throws unless the plan begins no earlier than the one of the last migration pass: retired versions stay
  /// retired.
  static func verifyNotDowngraded(_ plan: CompiledPlan, _ log: EventLog) throws(AnnalsError) {
    let refusal = try log.read { (snapshot) throws(AnnalsError) in
      try plan.refusal(byOldest: snapshot.reader.oldest())
    }
    if let refusal { throw refusal }
  }
}

extension CompiledPlan {
  /// Returns why a store refuses the plan, whatever its events are; `nil` if it does not.
  func refusal(by snapshot: borrowing LogSnapshot) throws(AnnalsError) -> AnnalsError? {
    if let refusal = try refusal(byOldest: snapshot.reader.oldest()) { return refusal }
    do throws(AnnalsError) { try PlanResolver(self).mustNotBeContracted(snapshot.kinds) } catch {
      return error
    }
    return nil
  }

  /// Returns why a store that was rewritten with a plan beginning at `stored` refuses this one; `nil` if it
  /// does not.
  fileprivate func refusal(byOldest stored: SchemaVersion?) -> AnnalsError? {
    guard let stored, let oldest = schemas.first?.version, oldest < stored else { return nil }
    return AnnalsError(
      .superseded,
      "the plan begins at version \(oldest), and a migration pass has been run with one that begins at \(stored): use that program or a later one",
      details: AnnalsError.Details { $0.version = stored })
  }
}
