package import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

// Changes of the log itself.
extension AppendGroup {
  /// Makes a change, and records it in a system entry.
  ///
  /// - Returns: The place of the system entry; no place if there was nothing to change.
  /// - Throws: An error that ends the whole transaction.
  mutating func run(
    _ change: LogChange, of call: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Appended, AnnalsError> {
    if let refusal = kinds.refusal(ofNamesFrom: change.plan) { return .failure(refusal) }
    return switch change.work {
    case .limit(let limit): try run(limit, change, of: call, in: &transaction)
    case .erase(let positions): try erase(positions, change, of: call, in: &transaction)
    case .retain(let rule, let isRemoved):
      .success(try retain(rule, isRemoved: isRemoved, change, of: call, in: &transaction))
    case .roll(let step): try roll(step, call, in: &transaction)
    }
  }

  /// Lets the phases begin that the rules of a call name, and puts inline projections in force. No entry
  /// records them.
  private mutating func roll(
    _ step: RolloutStep, _ call: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Appended, AnnalsError> {
    let before: Versions?
    do throws(AnnalsError) { before = try begin(call) } catch { return .failure(error) }
    var isChanged = before != nil
    for rule in call.rules where !step.rules.isEmpty {
      switch try rule.roll(step.rules, &self, in: &transaction) {
      case .success(let hasRolled): isChanged = isChanged || hasRolled
      case .failure(let refusal):
        if let before { restore(before) }
        return .failure(refusal)
      }
    }
    return .success(Appended(positions: [], revisions: [], wasRepeated: !isChanged))
  }

  /// Closes, reopens or truncates streams.
  private mutating func run(
    _ limit: LimitChange, _ change: LogChange, of call: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Appended, AnnalsError> {
    var decision = LimitDecision()
    let made: SystemEntry.Change?
    do throws(AnnalsError) { made = try decide(limit, &decision, in: transaction) } catch {
      return .failure(error)
    }
    guard let made else { return .success(Appended(positions: [], revisions: [], wasRepeated: true)) }
    try begin(in: &transaction)
    for (id, limit) in decision.limits {
      try transaction.put(limit.encoded(), StreamLimit.name(id), in: tables.meta)
    }
    // In a cluster, no fold that begins later sees the events that are hidden from here on.
    if case .truncated = made, call.sharedTime != nil { foldAgain() }
    let entry = SystemEntry(made, author: change.author)
    return .success(try put(Stub(entry, reason: change.reason), time: call.time, in: &transaction))
  }

  /// Lets the rows of rules that are not in force yet be folded again.
  private mutating func foldAgain() {
    for index in rules.indices where rules[index].state == .building {
      rules[index].folded = 0
      hasAppliedRules = true
    }
  }

  /// Stores a retention rule, or removes one.
  private mutating func retain(
    _ rule: RetentionRule, isRemoved: Bool, _ change: LogChange, of call: AppendRequest,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Appended {
    let rules = try StoreReader(transaction.view, tables).retentionRules()
    if isRemoved, !rules.contains(where: { ExactText($0.prefix) == ExactText(rule.prefix) }) {
      return Appended(positions: [], revisions: [], wasRepeated: true)
    }
    try begin(in: &transaction)
    if isRemoved {
      try transaction.remove(rule.rowName, in: tables.meta)
    } else {
      try transaction.put(rule.encoded(), rule.rowName, in: tables.meta)
    }
    let entry = SystemEntry(.retained(rule, isRemoved: isRemoved), author: change.author)
    return try put(Stub(entry, reason: change.reason), time: call.time, in: &transaction)
  }

  /// Makes system entries known to all programs before the first one.
  mutating func begin(in transaction: inout WriteTransaction) throws(AnnalsError) {
    if kinds.limitsStreams { return }
    // Other processes read the requirements again before they use the change.
    try raiseEpoch()
    kinds.limitsStreams = true
    try transaction.require(.streams, tables)
  }

  /// Decides what a change does.
  ///
  /// - Returns: The change to record; `nil` if nothing changes.
  private func decide(
    _ change: LimitChange, _ decision: inout LimitDecision, in transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> SystemEntry.Change? {
    switch change {
    case .close(let name): return decision.set(isClosed: true, try stream(name, in: transaction))
    case .reopen(let name): return decision.set(isClosed: false, try stream(name, in: transaction))
    case .truncate(let wanted):
      var made: [SystemEntry.Truncation] = []
      for (name, revision) in wanted {
        if let truncation = decision.truncate(try stream(name, in: transaction), before: revision) {
          made.append(truncation)
        }
      }
      return made.isEmpty ? nil : .truncated(made)
    case .retain(let wanted):
      let rules = try StoreReader(transaction.view, tables).retentionRules()
      guard RetentionRule.encoded(rules) == wanted.rules else { throw AnnalsError(retained: nil) }
      var made: [SystemEntry.Truncation] = []
      for (name, id, oldest) in wanted.streams {
        let stream = try stream(name, in: transaction)
        guard stream.id == id else { throw AnnalsError(retained: name) }
        if let truncation = decision.truncate(stream, before: oldest) { made.append(truncation) }
      }
      return made.isEmpty ? nil : .truncated(made)
    }
  }

  /// Finds the stream called `name`, which must have an entry.
  private func stream(
    _ name: StreamName, in transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> LimitDecision.Stream {
    let reader = StoreReader(transaction.view, tables)
    let end = try heads.withTable { (table) throws(AnnalsError) -> StreamEnd? in
      let place = try Self.look(up: name, StreamHash(name), reader, &table)
      return place.id == 0 ? nil : table.slots.end(place.slot)
    }
    guard let end else { throw AnnalsError(noSuchStream: name) }
    return LimitDecision.Stream(id: end.id, head: end.revision, limit: try reader.limit(of: end.id))
  }

  /// Puts a system entry at the end of the log.
  mutating func put(
    _ stub: Stub, time: Int64, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Appended {
    var body: [UInt8] = []
    stub.append(to: &body)
    let before = last
    last += 1
    let place = try extendSystemStream(in: transaction)
    let name = place.stream == 0 ? Array(SystemEntry.stream.text.utf8) : []
    let nothing: [UInt8] = []
    var draft = EntryDraft(
      kind: 0, time: time, name: name.span, metadata: nothing.span, rows: nothing.span, body: body.span,
      form: .system)
    draft.stream = place.stream
    draft.revision = place.revision
    draft.links = place.links
    draft.isEndOfCall = true
    let size = try put(draft, &transaction)
    heads.withTable { $0.count(bytes: size) }
    count += 1
    // No projection folds a system entry.
    for index in rules.indices where rules[index].folded == before {
      rules[index].folded = last
      hasAppliedRules = true
    }
    return Appended(positions: [Position(last)], revisions: [place.revision], wasRepeated: false)
  }

  /// Extends the stream of system entries in memory by the log's next entry.
  private func extendSystemStream(
    in transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> SystemPlace {
    let hash = StreamHash(SystemEntry.stream)
    let reader = StoreReader(transaction.view, tables)
    return try heads.withTable { (table) throws(AnnalsError) in
      let found = try Self.look(up: SystemEntry.stream, hash, reader, &table)
      guard found.id != 0 else {
        table.begin(hash, hasID: false)
        return SystemPlace()
      }
      let links = table.extend(found.slot, hasID: false)
      return SystemPlace(stream: found.id, revision: Revision(table.slots.revision(found.slot)), links: links)
    }
  }
}

/// The place of the next system entry in its stream.
private struct SystemPlace {
  /// The id of the stream; 0 if the entry begins it.
  var stream: UInt64 = 0
  var revision: Revision = 0
  var links = EntryLinks()
}

extension AnnalsError {
  /// The error for a change that retention rules ask for, after these have changed; or after a stream has
  /// ended, whose name another one has now.
  fileprivate init(retained stream: StreamName?) {
    let what = stream.map { "stream '\($0)' is another one" } ?? "the retention rules are others"
    self.init(
      .conflict, "\(what) than when 'retain' read them; the commit has hidden nothing: run 'retain' again",
      details: Details { $0.stream = stream })
  }

  /// The error for a stream without entries.
  package init(noSuchStream stream: StreamName) {
    self.init(
      .noSuchStream, "stream '\(stream)' has no event, so there is nothing to change; check its name",
      details: Details { $0.stream = stream })
  }
}
