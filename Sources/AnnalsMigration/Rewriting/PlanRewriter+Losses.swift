internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes
internal import AnnalsStore

extension PlanRewriter {
  /// Notes what the rewrite loses of a payload that was upcast just now.
  ///
  /// - Parameter path: Which part of the entry it is.
  func noteLosses(of payload: Span<UInt8>, _ path: [UInt32], _ fate: KindFate) {
    guard fate.mayLoseFields || fate.removals != nil, let entrance = fate.entrance else { return }
    let found: PayloadLosses
    do throws(CodingFailure) { found = try entrance.payload.losses(in: payload, fate.removals) } catch {
      // A fold does not read every payload that it takes; what cannot be read fails where it is folded.
      return
    }
    if !found.values.isEmpty { losses.append(ArchivedEvent(kind: fate.kind, path: path, losses: found)) }
  }

  /// Notes for an archive that a payload has become no event, or that some of what a rule has made of it has.
  func noteDrops(
    of payload: Span<UInt8>, _ path: [UInt32], _ kind: KindRegistry.Kind, _ reasons: [String]
  ) {
    guard !reasons.isEmpty else { return }
    if losses.last?.path != path { losses.append(ArchivedEvent(kind: kind, path: path)) }
    losses[losses.count - 1].reasons = reasons
    losses[losses.count - 1].payload = payload.copied
  }

  /// Counts the fields that the entry at hand loses, and writes its line in the archive.
  ///
  /// - Throws: ``RewriteFailure`` with code `undeclaredFields` if nobody has given one up: it was appended
  ///   after the
  ///   pass had looked at the log.
  func settleLosses(
    of entry: borrowing LentEntry, _ reader: StoreReader, in run: inout RewrittenRun
  ) throws(RewriteFailure) {
    let position = entry.position
    var unnamed = FieldTally()
    for event in losses {
      for value in event.losses.values where value.removedIn == nil && !drops.contains(event.kind, value.path)
      {
        unnamed.add(event.kind, value.path, at: position, isGivenUp: false)
      }
    }
    guard unnamed.isEmpty else {
      throw RewriteFailure(AnnalsError(undeclared: unnamed.undeclared, "a migration pass"))
    }
    for event in losses { run.changes.removed.add(event.kind, event.losses.values, at: position) }
    guard isArchiving else { return }
    do throws(AnnalsError) {
      try run.archive.archived(entry, streamName(of: entry, reader), losses)
    } catch {
      throw RewriteFailure(error)
    }
  }
}
