internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore

/// Takes entries through a plan, and finds out where each goes.
final class RoutingRewriter: EntryRewriter {
  private let base: PlanRewriter
  private let move: StreamMove
  private let router: StreamRouter

  init(_ base: PlanRewriter, _ move: StreamMove, _ router: StreamRouter) {
    self.base = base
    self.move = move
    self.router = router
  }

  func enter(_ source: KindRegistry) throws(AnnalsError) {
    try base.enter(source)
    router.enter(source)
  }

  func expect(_ stream: Position) { base.expect(stream) }

  func rewrite(
    _ entry: borrowing LentEntry, _ reader: StoreReader, into run: inout RewrittenRun
  ) throws(AnnalsError) {
    let routed = try router.route(entry, reader)
    // A stub keeps its own reason.
    if let reason = routed.reason, !entry.header.flags.contains(.stub) {
      try base.drop(
        entry, Stub(cause: .rule, from: move.from, to: move.to, reason: reason), reader, into: &run)
    } else {
      try base.rewrite(entry, reader, into: &run)
    }
    run.routes.append(routed)
  }
}

extension PlanRewriter {
  /// Adds `stub` in place of an entry.
  func drop(
    _ entry: borrowing LentEntry, _ stub: Stub, _ reader: StoreReader, into run: inout RewrittenRun
  ) throws(AnnalsError) {
    losses.removeAll(keepingCapacity: true)
    do throws(RewriteFailure) {
      try noteDrop(of: entry, stub.reason)
      // A truncated entry refers to nothing any more, and a dropped one does until it is truncated.
      let extensions =
        source.hidden.covers(entry.header) ? [] : try newExtensions(of: entry, nil, isQuarantined: true)
      let number = try firstKind(of: entry)
      let fate = try table.fate(of: number, entry.position)
      var body: [UInt8] = []
      stub.append(to: &body)
      run.tally.add(stub: fate.stub, stub.cause.rawValue, at: run.count)
      for kind in try kinds(of: entry) {
        let type = try table.fate(of: kind, entry.position).kind.row.name
        run.changes.add(RunChanges.Drop(type: type, reason: stub.reason), isFolded: false)
      }
      run.changes.addStub()
      if !losses.isEmpty { try settleLosses(of: entry, reader, in: &run) }
      add(entry, kind: fate.stub, .stub, body.span, extensions, into: &run)
    } catch {
      throw error.error
    }
  }

  /// Notes that the whole entry is dropped.
  private func noteDrop(of entry: borrowing LentEntry, _ reason: String) throws(RewriteFailure) {
    guard isArchiving else { return }
    guard entry.header.flags.contains(.parts) else {
      return noteDrops(
        of: entry.body, [], try table.fate(of: entry.header.kind, entry.position).kind, [reason])
    }
    do throws(AnnalsError) {
      try entry.eachPart { (kind, path, payload) throws(AnnalsError) in
        noteDrops(of: payload, path, try table.fate(of: kind, at: entry.position).kind, [reason])
      }
    } catch {
      throw RewriteFailure(error)
    }
  }
}
