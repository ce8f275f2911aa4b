internal import AnnalsAttachments
internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsProjections
internal import AnnalsStore
internal import AnnalsSubscriptions
internal import LMDB

/// Erases entries: in the log, and in everything that programs have worked out from it.
///
/// Views are withdrawn before the first commit, and none is built before the last one. So no read of a view
/// returns an erased event, even if the process is killed in between. A note in the log says what is being
/// erased, until all is done: the next program that opens the store after a kill does the rest.
struct Erasing {
  /// The number of entries that a transaction erases, and a system entry records.
  static let batch = 10_000

  /// The errors after which nothing of an erasure was committed.
  private static let refusals: Set<AnnalsError.Code> = [
    .wrongUse, .needsPlan, .superseded, .requiresActivation, .busy,
  ]

  let log: EventLog
  let author: String
  let reason: String
  /// The rules of the store that erases; none for a log without a plan.
  let rules: [any AppendRule]

  init(_ log: EventLog, author: String, reason: String, rules: [any AppendRule] = []) throws(AnnalsError) {
    guard !author.isEmpty, !reason.isEmpty else {
      throw AnnalsError(.wrongUse, "an erasure records who asked for it, and why; neither may be empty")
    }
    guard log.options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    self.log = log
    self.author = author
    self.reason = reason
    self.rules = rules
  }

  /// Erases all entries of a stream, and its name with the next pass.
  ///
  /// - Parameter plan: The version at which the plan of the caller ends; `nil` without a plan.
  func run(stream: StreamName, plan: SchemaVersion? = nil) throws(AnnalsError) -> ErasureReport {
    guard stream != SystemEntry.stream else { throw AnnalsError(reservedStream: stream) }
    return try run { (log) throws(AnnalsError) in
      // No pass begins or ends from here on.
      let kinds = try log.read { (snapshot) in snapshot.kinds }
      if let refusal = kinds.refusal(ofNamesFrom: plan) { throw refusal }
      let (positions, head) = try log.positions(of: stream)
      return (positions, head)
    }
  }

  /// Erases the entries that `select` returns.
  func run(_ select: (EventLog) throws(AnnalsError) -> [Position]) throws(AnnalsError) -> ErasureReport {
    try run { (log) throws(AnnalsError) in (try select(log), nil) }
  }

  /// Erases the entries that `select` returns.
  ///
  /// - Parameter select: Returns also the head of the stream that loses its name with them; `nil` for none.
  private func run(
    _ select: (EventLog) throws(AnnalsError) -> (positions: [Position], stream: Head?)
  ) throws(AnnalsError) -> ErasureReport {
    // Before passes are kept out: to apply an erasure, this machine keeps them out too.
    try catchUp()
    let passes = try log.keepPassesOut()
    try mustBeAllowed()
    try finishEarlier()
    let (positions, stream) = try select(log)
    guard !positions.isEmpty else { return ErasureReport(entries: 0, recorded: []) }
    try mustExist(positions)
    try mustLeaveGroupsWhole(positions)
    let work = ErasingRow(
      positions: PositionRanges(positions), stream: stream.map { ($0.id, $0.revision) }, author: author,
      reason: reason)
    let recorded = try complete(work)
    let entries = try erased(by: recorded)
    _ = consume passes
    return ErasureReport(entries: entries, recorded: recorded)
  }

  /// Waits, in a cluster, until this machine has all events that calls on other machines have returned for.
  ///
  /// A call without events changes nothing, and is answered after everything that was in the shared log
  /// before it.
  private func catchUp() throws(AnnalsError) {
    _ = try log.options.sequencer?.appendBlocking(AppendRequest(time: 0))
  }

  /// Throws before anything is changed if a position has no entry. In a cluster the log decides.
  private func mustExist(_ positions: [Position]) throws(AnnalsError) {
    guard log.options.sequencer == nil else { return }
    let last = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.last() }
    let beyond = positions.first { $0.rawValue == 0 || $0.rawValue > last }
    if let beyond { throw AnnalsError(noEntryAt: beyond, last: last) }
  }

  /// Throws before anything is changed if a fold makes one event of an entry and others that stay. Only a
  /// program with the plan knows which of them are meant.
  private func mustLeaveGroupsWhole(_ positions: [Position]) throws(AnnalsError) {
    let end = try log.read { (snapshot) throws(AnnalsError) in try snapshot.endOfGroup(in: positions) }
    guard let end else { return }
    throw AnnalsError(
      .wrongUse,
      """
      position \(end): a fold makes one event of this entry and earlier ones of its stream, which would stay; \
      nothing was erased. Run a migration pass with the plan first, or erase the whole stream
      """,
      details: AnnalsError.Details { $0.position = end })
  }

  /// Does the rest of an erasure whose process was killed, if there is one.
  func finish() throws(AnnalsError) {
    let passes = try log.keepPassesOut()
    try mustBeAllowed()
    try finishEarlier()
    _ = consume passes
  }

  /// Does the rest of an earlier erasure, while passes are kept out.
  private func finishEarlier() throws(AnnalsError) {
    let earlier = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.unfinishedErasure() }
    guard let earlier else { return }
    let erasing = try Erasing(log, author: earlier.author, reason: earlier.reason, rules: rules)
    _ = try erasing.complete(earlier, isKnown: true)
  }

  /// Erases the entries of a note, and removes the note.
  ///
  /// - Parameter isKnown: Whether an earlier call has written the note.
  /// - Returns: The positions of the entries that record it.
  private func complete(_ work: ErasingRow, isKnown: Bool = false) throws(AnnalsError) -> [Position] {
    let positions = work.positions.ranges.flatMap { $0.map { Position($0) } }
    let kinds = try log.read { (snapshot) throws(AnnalsError) in try ErasedKinds(positions, snapshot) }
    // Each member of a cluster applies the commits alone.
    let isNoted = log.options.sequencer == nil
    if isNoted, !isKnown { try note(work) }
    var recorded: [Position] = []
    do throws(AnnalsError) {
      let views = try log.core.withdrawViews(of: kinds)
      // Before and after: a load in between may keep a state that it has folded from the contents.
      try log.core.removeSnapshots()
      ErasurePoint.reach(.withdrawn)
      try erase(positions, work.stream, &recorded)
      views?.end()
      try log.core.removeSnapshots()
      // The members of a cluster complete the rows as they apply the erasure.
      if isNoted { try foldAgain(after: "the events are erased", repeating: "erase again") }
    } catch {
      // A refused call has changed nothing, and is not to be completed. The outcome of others may be unknown,
      // and an earlier call may have erased a part before its process was killed.
      if isNoted, !isKnown, recorded.isEmpty, Self.refusals.contains(error.code) { try note(nil) }
      throw error
    }
    ErasurePoint.reach(.cleared)
    if isNoted { try note(nil) }
    return recorded
  }

  /// Folds inline projections again from the events that are left.
  ///
  /// - Parameters:
  ///   - done: A sentence about the change that is made by now. The fold reports a refused call, and the
  ///     caller must not take this one for refused.
  ///   - repeating: How to complete it.
  func foldAgain(after done: String, repeating: String) throws(AnnalsError) {
    do throws(AnnalsError) {
      for rule in rules { try rule.begin(log, isActivating: false) { () throws(AnnalsError) in } }
    } catch {
      let isRefused = error.code == .rejected || error.code == .ruleFailed
      let rest =
        isRefused
        ? error.message
        : "rows of inline projections are not folded again yet; \(repeating), or open the store again, once the cause has passed (\(error.message))"
      throw AnnalsError(
        error.code, "\(done), but appends fail: \(rest)", details: error.details, underlying: error)
    }
  }

  /// Erases entries in commits of some thousand.
  private func erase(
    _ positions: [Position], _ stream: (id: Position, head: Revision)?, _ recorded: inout [Position]
  ) throws(AnnalsError) {
    var next = 0
    while next < positions.count {
      let end = min(next + Self.batch, positions.count)
      try releaseAttachments(of: positions[next..<end])
      var request = try request(Array(positions[next..<end]))
      if end == positions.count, let stream {
        let name = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.name(of: stream.id) }
        request = try self.request(Array(positions[next..<end]), (name, stream.head))
      }
      request.change?.leavesNothingBefore = stream != nil
      recorded += try log.append(blocking: request).positions
      ErasurePoint.reach(.committed)
      next = end
    }
  }

  /// Writes down durably what is being erased; `nil` for nothing.
  private func note(_ work: ErasingRow?) throws(AnnalsError) {
    _ = try ActivationWrite(log).run(risesEpoch: false) { (transaction, tables, _) throws(AnnalsError) in
      if let work {
        try transaction.put(work.encoded(), ErasingRow.name, in: tables.meta)
      } else {
        try transaction.remove(ErasingRow.name, in: tables.meta)
      }
      return true
    }
  }

  /// Lets the next pass remove contents that only these entries refer to, without waiting.
  private func releaseAttachments(of positions: ArraySlice<Position>) throws(AnnalsError) {
    let contents = try log.read { (snapshot) throws(AnnalsError) in
      var contents: [ContentHash: Int64] = [:]
      guard snapshot.kinds.hasAttachments else { return contents }
      let last = try snapshot.reader.last()
      // The commit refuses positions without an entry.
      for position in positions where position.rawValue > 0 && position.rawValue <= last {
        for hash in try snapshot.reader.attachments(at: position) {
          contents[hash] = max(contents[hash] ?? 0, try snapshot.reader.time(begunBy: position))
        }
      }
      return contents
    }
    guard !contents.isEmpty else { return }
    try BlobDirectory.open(in: log.core.generation.directory)?.markErased(contents)
  }

  func request(
    _ positions: [Position], _ stream: (name: StreamName, head: Revision)? = nil
  ) throws(AnnalsError) -> AppendRequest {
    var change = LogChange(.erase(positions), author: author, reason: reason)
    change.erasedStream = stream
    var request = try AppendRequest(change)
    request.rules = rules
    return request
  }

  /// Throws before anything is changed if the store demands a rule that the caller lacks.
  func mustBeAllowed() throws(AnnalsError) {
    let demanded = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.ruleRows() }
    for row in demanded { if let refusal = rules.inline?.mustReplace(row) { throw refusal } }
    if let refusal = try request([]).missingRule(in: demanded) { throw refusal }
  }

  private func erased(by recorded: [Position]) throws(AnnalsError) -> UInt64 {
    try log.read { (snapshot) throws(AnnalsError) in
      var count: UInt64 = 0
      for position in recorded {
        guard case .erased(let positions, _) = try snapshot.systemEntry(at: position)?.entry.change else {
          continue
        }
        count += positions.count
      }
      return count
    }
  }
}
