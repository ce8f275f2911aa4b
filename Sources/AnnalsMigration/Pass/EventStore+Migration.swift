public import AnnalsCoding
public import AnnalsLog
internal import AnnalsProjections
package import AnnalsSchema
public import AnnalsStore

extension EventStore {
  /// Begins a migration pass, which rewrites the whole log in the plan's current version, as a new
  /// generation.
  ///
  /// Reads and appends continue meanwhile, in this process and in others. Writers wait for a few milliseconds
  /// at the switch. Before the switch, both generations are compared event by event, and the stages' `verify`
  /// runs.
  ///
  /// The old generation is kept. ``EventLog/rollback(_:)`` returns to it until something is appended, and
  /// ``EventLog/discardPrevious(_:)`` removes it. A pass that another process or a crash has interrupted is
  /// continued. If no entry is of an older version, nothing is done.
  ///
  /// A rollback may have brought back events that a stage moves to other streams. In that case, the pass
  /// leads to the version after that stage, and the next call continues from there.
  ///
  /// - Parameter options: The options of the pass.
  /// - Returns: The pass, which continues whether or not the value is kept.
  /// - Throws: ``AnnalsError`` with code `wrongUse` for invalid options, or `inputOutput`.
  ///   ``MigrationRun/report()`` throws the error that ends the pass itself.
  /// - Complexity: O(log) in the background; memory is independent of the length of the log.
  public func migrate(_ options: MigrationOptions = MigrationOptions()) throws(AnnalsError) -> MigrationRun {
    if let run = try moveStreams(upTo: Plan.Current.version, options) { return run }
    var work = PassWork(reach.plan, contextBytes)
    work.inline = inline
    return try PassRunner.start(log, work, options)
  }

  /// Begins the pass that moves entries to other streams and must come before any other; `nil` if none is
  /// due.
  private func moveStreams(
    upTo version: SchemaVersion, _ options: MigrationOptions
  ) throws(AnnalsError) -> MigrationRun? {
    let passes = MovingPasses<Plan>(log, try CompiledPlan(Plan.self))
    guard let work = try passes.next(upTo: version, activating: false) else { return nil }
    return try PassRunner.start(log, work, options)
  }

  /// Begins a pass to an earlier version of the plan. Reads upcast entries from that version on.
  ///
  /// - Parameters:
  ///   - version: A version of the plan's chain.
  ///   - options: The options of the pass.
  /// - Throws: As ``migrate(_:)``, and `wrongUse` for a version that the chain does not have.
  public func migrate(
    to version: SchemaVersion, _ options: MigrationOptions = MigrationOptions()
  ) throws(AnnalsError) -> MigrationRun {
    if let run = try moveStreams(upTo: version, options) { return run }
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
  package var version: SchemaVersion { Current.version }

  /// Returns a pass along the chain.
  package func passWork(_ contexts: StageContexts, unversioned: SchemaVersion?) throws(AnnalsError)
    -> PassWork
  {
    PassWork(try cut(contexts, adopted: unversioned), contexts)
  }
}

extension EventLog {
  /// Begins to copy the log into a new generation, with every entry unchanged and without unused pages.
  ///
  /// Rows of inline projections are copied unchanged, whether or not the store was opened with the
  /// projections.
  ///
  /// - Parameter options: The options of the pass.
  /// - Returns: The pass, which continues whether or not the value is kept.
  /// - Throws: As ``EventStore/migrate(_:)``.
  public func compact(_ options: MigrationOptions = MigrationOptions()) throws(AnnalsError) -> MigrationRun {
    try PassRunner.start(self, .copy, options)
  }
}
