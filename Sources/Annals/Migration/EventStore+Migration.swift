public import AnnalsCoding
internal import AnnalsSchema

extension EventStore {
  /// Begins a migration pass: copies the log into a new generation, every entry in the plan's current version, and puts that in place of the old one.
  ///
  /// Reads and appends go on meanwhile, in this process and in others; writers wait for the switch for some milliseconds. Before anything counts, both
  /// generations are compared event by event, and the stages' `verify` runs. The old generation is kept: ``EventLog/rollback(_:)`` goes back to it until something is appended,
  /// and ``EventLog/discardPrevious(_:)`` removes it. A pass that another process or a crash has interrupted is continued. Where no entry is of an older version nothing
  /// is done.
  ///
  /// - Parameter options: How it is done.
  /// - Returns: The pass, which goes on whether or not the value is kept.
  /// - Throws: ``AnnalsError`` with code `wrongUse` for options that cannot be, or `inputOutput`. What ends the pass itself is thrown by ``MigrationRun/report()``.
  /// - Complexity: O(log) in the background; memory is independent of the length of the log.
  public func migrate(_ options: MigrationOptions = MigrationOptions()) throws(AnnalsError) -> MigrationRun {
    var work = PassWork(reach.plan, contextBytes)
    work.inline = inline
    return try PassRunner.start(log, work, options)
  }

  /// Begins a pass to an earlier version of the plan; entries of that version are lifted on read from there.
  ///
  /// - Parameters:
  ///   - version: A version of the plan's chain.
  ///   - options: How it is done.
  /// - Throws: As ``migrate(_:)``, and `wrongUse` for a version that the chain does not have.
  public func migrate(
    to version: SchemaVersion, _ options: MigrationOptions = MigrationOptions()
  ) throws(AnnalsError) -> MigrationRun {
    for chain in try Plan.chains() where chain.version == version {
      var work = try chain.passWork(contextBytes, unversioned: Plan.adopted)
      work.inline = inline
      return try PassRunner.start(log, work, options)
    }
    throw AnnalsError(
      .wrongUse, "the plan has no version \(version), so no pass can lead to it",
      details: AnnalsError.Details { $0.version = version })
  }
}

extension PlanChain {
  /// The version that the chain ends at.
  var version: SchemaVersion { Current.version }

  /// A pass along the chain.
  func passWork(_ contexts: StageContexts, unversioned: SchemaVersion?) throws(AnnalsError) -> PassWork {
    PassWork(try cut(contexts, adopted: unversioned), contexts)
  }
}

extension EventLog {
  /// Begins to copy the log into a new generation, every entry as it is: what nothing uses any more is not copied.
  ///
  /// Rows of inline projections are copied as they are. Whether the store was opened with the projections
  /// is no matter.
  ///
  /// - Parameter options: How it is done.
  /// - Returns: The pass, which goes on whether or not the value is kept.
  /// - Throws: As ``EventStore/migrate(_:)``.
  public func compact(_ options: MigrationOptions = MigrationOptions()) throws(AnnalsError) -> MigrationRun {
    try PassRunner.start(self, .copy, options)
  }
}
