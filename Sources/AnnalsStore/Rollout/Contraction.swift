public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes
internal import LMDB

/// Retires the older versions of a store, after everything has the current version.
struct Contraction {
  let log: EventLog
  let plan: CompiledPlan
  let rollout: RolloutPlan

  private var version: SchemaVersion { rollout.version }

  /// Returns the store's remains of older versions.
  func report() throws(AnnalsError) -> ContractReport {
    try log.options.sequencer?.listenForPrograms()
    let programs = try log.programs().filter { $0.isBelow(version) }
    return try log.read { (snapshot) throws(AnnalsError) in
      let (removed, converted) = removedFields()
      let kinds = snapshot.kinds
      let isRetained = kinds.kinds.values.sorted { $0.number < $1.number }.map {
        plan.retaining($0, in: kinds) != nil
      }
      // One line for each kind, in the order of their numbers.
      let lines = zip(try snapshot.census(), isRetained).filter { isOlder($0.0.version) }
      let census = lines.map(\.0)
      return ContractReport(
        version: version, phase: RolloutPhase(snapshot.kinds.row(of: version)?.phase),
        older: lines.filter { $0.0.count > 0 && !$0.1 }.map(\.0),
        quarantined: census.reduce(0) { $0 &+ $1.quarantined },
        olderPrograms: programs,
        dropped: census.filter { $0.stubs > 0 }.map {
          ContractReport.Dropped(type: $0.type, version: $0.version, count: $0.stubs)
        },
        retained: lines.filter { $0.0.count > 0 && $0.1 }.map(\.0),
        removedFields: removed, convertedFields: converted, contexts: try contexts(snapshot.reader, kinds))
    }
  }

  /// Whether entries of `other` must have been rewritten.
  private func isOlder(_ other: SchemaVersion?) -> Bool { other.map { $0 < version } ?? true }

  /// Returns the versions up to the current one whose stages keep something that no retained event needs.
  private func contexts(_ reader: StoreReader, _ kinds: KindRegistry) throws(AnnalsError) -> [SchemaVersion] {
    let names = Set(try reader.frozenFacts().map(\.name))
    let events = try OlderEvents(reader, kinds, plan)
    return plan.schemas.enumerated().filter { number, schema in
      !names.isDisjoint(with: Self.rows(of: schema.version))
        && events.countRetained(below: schema.version, after: number - 1) == 0
    }.map(\.element.version)
  }

  /// The rows of `meta` that the stage to `version` may have.
  private static func rows(of version: SchemaVersion) -> [String] {
    [StoreReader.contextName(version)]
      + ContextTableRow.Use.allCases.map { ContextTableRow.name($0, of: version) }
  }

  /// Returns the fields that stages have removed, and those that rules have read and newer records do not
  /// have, oldest first.
  private func removedFields() -> (
    removed: [ContractReport.RemovedField], converted: [ContractReport.RemovedField]
  ) {
    var removed: [ContractReport.RemovedField] = []
    var converted: [ContractReport.RemovedField] = []
    for (index, crossings) in plan.crossings.enumerated() {
      let (from, to) = (plan.schemas[index], plan.schemas[index + 1])
      for (record, crossing) in zip(from.records, crossings) {
        let changes: [ShapeChange]
        var isRuled = false
        switch crossing {
        case .converted(_, let comparison): changes = comparison.changes
        case .rule:
          // A rule's use of a field is not visible, so the field is not called lost.
          isRuled = true
          guard let next = to.index(following: record.name), let old = record.shape,
            let new = to.records[next].shape
          else { continue }
          changes = ShapeComparison(from: old.shape, to: new.shape).changes
        case .carried, .redeclared, .forgotten: continue
        }
        let fields = changes.filter { $0.kind == .removedOptional || $0.kind == .removedRequired }.map {
          ContractReport.RemovedField(version: from.version, type: record.name.text, field: $0.field)
        }
        if isRuled { converted += fields } else { removed += fields }
      }
    }
    return (removed, converted)
  }

  /// Retires the older versions.
  func run(_ options: ContractOptions) throws(AnnalsError) -> ContractReport {
    var report = try report()
    if report.phase == .contracted {
      report.isContracted = true
      return report
    }
    if options.isRehearsal { return report }
    try check(report, options)
    if let shared = SharedRollout(log, rollout) {
      report.isContracted = try finish(shared, report)
      return report
    }
    var givenUp: UInt64 = 0
    do throws(AnnalsError) {
      if report.quarantined > 0 {
        // From here on nobody appends anything that would prevent the contraction.
        _ = try Rollout(log: log, plan: rollout).activate(superseding: false)
        try QuarantineDiscard(log: log, below: version).run(atMost: report.quarantined, &givenUp)
      }
      report.isContracted = try finish()
    } catch {
      throw givenUp > 0 ? error.afterGivingUp(givenUp) : error
    }
    // Unreferenced chunks are no reason to fail: the next activation removes them too.
    if !report.contexts.isEmpty { try? ContextWriting(log).removeUnused() }
    return report
  }

  private func check(_ report: ContractReport, _ options: ContractOptions) throws(AnnalsError) {
    guard log.options.access == .readWrite else {
      throw AnnalsError(
        .readOnly, "the store was opened for reading only; open it with access .readWrite to contract")
    }
    guard report.olderPrograms.isEmpty else {
      throw AnnalsError(
        .busy,
        "versions below \(version) are not given up while programs of them have the store open: \(report.olderPrograms.list); end them; nothing was changed",
        details: AnnalsError.Details { $0.version = version })
    }
    guard report.older.isEmpty else { throw AnnalsError(left: report.older, below: version) }
    guard (options.givingUpQuarantined ?? 0) == report.quarantined else {
      throw AnnalsError(
        .requiresPass,
        "a migration pass has set aside \(report.quarantined) events of versions below \(version): mend the rule and run 'migrate' again, or give them up by that number\(options.givingUpQuarantined.map { " (not \($0))" } ?? ""); nothing was changed",
        details: AnnalsError.Details { $0.version = version })
    }
    guard !report.hasLosses || options.confirming == report.droppedEntries else {
      throw AnnalsError(
        .wrongUse,
        "with versions below \(version) these are lost for good: \(report.losses); confirm it by the number of dropped entries, \(report.droppedEntries)\(options.confirming.map { " (not \($0))" } ?? ""); nothing was changed",
        details: AnnalsError.Details { $0.version = version })
    }
  }

  /// Retires the older versions in the log of a cluster. What other machines have left to rewrite, their
  /// plans still read.
  private func finish(_ shared: SharedRollout, _ before: ContractReport) throws(AnnalsError) -> Bool {
    guard before.quarantined == 0 else {
      throw AnnalsError(
        .wrongUse,
        "a machine of a cluster does not give up events that a pass has set aside, because the others have them: mend the rule and run 'migrate' again; nothing was changed",
        details: AnnalsError.Details { $0.version = version })
    }
    // From here on no machine appends anything that would prevent the contraction.
    _ = try shared.take(.activate)
    let left = try report().older
    guard left.isEmpty else { throw AnnalsError(left: left, below: version) }
    _ = try shared.take(.contract)
    return true
  }

  /// Puts the phases and removes rows that only stages needed, if nothing has changed in between.
  private func finish() throws(AnnalsError) -> Bool {
    let leases = ProgramLeases(log.core.generation.directory, mayRemove: true)
    return try ActivationWrite(log).run { (transaction, tables, kinds) throws(AnnalsError) in
      let decision = RolloutDecision(rollout, kinds)
      let programs = try leases.living().filter { $0.isBelow(version) }
      guard programs.isEmpty else {
        throw AnnalsError(
          .busy,
          "versions below \(version) are not given up while programs of them have the store open: \(programs.list); end them",
          details: AnnalsError.Details { $0.version = version })
      }
      let census = try StoreReader(transaction.view, tables).census()
      let left = kinds.kinds.values.filter { kind in
        guard isOlder(kind.version), let row = census[kind.number] else { return false }
        return row.quarantined > 0 || (row.parts > 0 && plan.retaining(kind, in: kinds) == nil)
      }
      guard left.isEmpty else {
        throw AnnalsError(
          .requiresPass,
          "events of versions below \(version) came, or were set aside, meanwhile: run 'migrate' again, and contract then",
          details: AnnalsError.Details { $0.version = version })
      }
      var changes = decision.contraction
      changes[version] = .contracted
      try Rollout.put(changes, rollout, kinds, tables, &transaction)
      let unused = try contexts(StoreReader(transaction.view, tables), kinds)
      for version in unused {
        for name in Self.rows(of: version) { try transaction.remove(name, in: tables.meta) }
      }
      // Free pages of this file still have what stages worked out from events that were erased since.
      if !unused.isEmpty, kinds.limitsStreams {
        var generation: [UInt8] = []
        // Generations that were rolled back have higher numbers than the one in use, and contexts, too.
        generation.append(varint: try StoreReader(transaction.view, tables).newestGeneration())
        try transaction.put(generation, StoreReader.contextsRemovedName, in: tables.meta)
      }
      return true
    }
  }
}

extension ContractReport {
  /// The permanent losses, in words.
  var losses: String {
    let dropped = dropped.map {
      "\($0.count) dropped '\($0.type)' of \($0.version.map { "version \($0)" } ?? "no version")"
    }
    let fields = removedFields.map { "field '\($0.field)' of '\($0.type)' of version \($0.version)" }
    let contexts = contexts.map { "what the stage to \($0) has worked out" }
    return (dropped + fields + contexts).joined(separator: ", ")
  }
}

extension AnnalsError {
  /// The same error, with the number of entries that are already discarded.
  fileprivate func afterGivingUp(_ count: UInt64) -> AnnalsError {
    AnnalsError(
      code,
      "\(message); \(count) events that were set aside have been given up already: contract again, with the number of those that are left",
      details: details, underlying: underlying)
  }

  /// The error for remaining events of older versions.
  fileprivate init(left: [CensusLine], below version: SchemaVersion) {
    let list = left.map { line in
      "\n- '\(line.type)' of \(line.version.map { "version \($0)" } ?? "no version"): \(line.count) events"
    }
    self.init(
      .requiresPass,
      "events of versions below \(version) are left; run 'migrate' first; nothing was changed:\(list.joined())",
      details: Details {
        $0.version = version
        $0.kinds = left.map {
          UnreadableKind(
            type: $0.type, version: $0.version, count: $0.count, firstPosition: $0.first,
            missing: "a migration pass")
        }
      })
  }
}

extension EventStore {
  /// Retires all versions below the plan's current one: their programs can no longer open the store, and
  /// contexts and folds of stages are removed.
  ///
  /// By then everything must be in the current version; ``migrate(_:)`` does this. The plan may keep or
  /// remove its older stages. The report lists the losses that a contraction makes final, and you must
  /// confirm them.
  ///
  /// On a member of a cluster, the contraction is a message in the cluster's log, at which programs of older
  /// versions stop on all machines. A machine that has not run its pass yet reads its older events as before.
  ///
  /// - Parameter options: The events to discard, and the confirmation of losses.
  /// - Returns: The state and the changes.
  /// - Throws: ``AnnalsError`` with code `requiresPass` if events of older versions are left, or quarantined
  ///   entries whose number you did not pass; `busy` if a program of an older version has the store open, or
  ///   another process keeps writing; `wrongUse` for losses that were not confirmed; `readOnly`,
  ///   `appendsSuspended`, and the codes of an append. After an error nothing has changed, unless the error
  ///   says that entries have already been discarded. The version may be active if entries were to be
  ///   discarded.
  /// - Complexity: O(schema versions and record types), and O(log) if entries are discarded.
  public func contract(_ options: ContractOptions = ContractOptions()) throws(AnnalsError) -> ContractReport {
    try Contraction(log: log, plan: reach.plan, rollout: reach.rollout).run(options)
  }
}
