internal import AnnalsFormat
package import AnnalsStore
package import AnnalsLog
internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsShapes
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The rule of calls to a store that was opened with inline projections: they fold the events of each call,
/// and may refuse it.
struct InlineRule: AppendRule {
  let set: InlineSet

  func admit(_ call: AppendRequest, to group: AppendGroup) throws(AnnalsError) -> [PhaseChange] {
    for row in group.rules { if let refusal = set.mustReplace(row) { throw refusal } }
    return []
  }

  func satisfies(_ row: RuleRow) -> Bool { set.knows(row) }

  func begin(
    _ log: EventLog, isActivating: Bool, _ mayBegin: () throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    var registration = try InlineRegistration(log, set, isActivating: isActivating)
    try registration.run(mayBegin)
  }

  func prepare(_ generation: Generation) throws(AnnalsError) {
    // A snapshot reads no table that is opened later.
    if generation.inline == nil { try generation.openInline() }
  }

  func apply(
    _ call: AppendRequest, to group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> AnnalsError? {
    try group.fold(call, into: set, in: &transaction)
  }

  func apply(
    _ calls: PlainCalls, _ range: Range<Int>, to group: inout AppendGroup,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> PlainOutcome? {
    try group.fold(calls, range, into: set, in: &transaction)
  }
}

extension [any AppendRule] {
  /// The inline projections among the rules; `nil` if there are none.
  package var inline: InlineSet? {
    for rule in self {
      if let rule = rule as? InlineRule { return rule.set }
    }
    return nil
  }
}

extension EventStore {
  /// The inline projections that the store was opened with; `nil` if there are none.
  package var inline: InlineSet? { rules.inline }

  /// The rules of the inline projections that the store was opened with.
  package var inlineRules: [any AppendRule] { rules.filter { $0 is InlineRule } }

  /// Attaches inline projections to a store that is being opened.
  package mutating func attach(_ set: InlineSet?) {
    if let set { rules.append(InlineRule(set: set)) }
  }
}

extension InlineContext {
  /// Returns where the payloads of record types enter the plan. Neighbouring calls mostly have the same ones.
  final func entrances(
    of records: [RecordKind]
  ) throws(AnnalsError) -> [CompiledPlan.Entrance] {
    if entrances.records == records { return entrances.list }
    var list: [CompiledPlan.Entrance] = []
    for record in records {
      do throws(MissingStep) { list.append(try set.reach.plan.storedEntrance(of: record)) } catch {
        throw AnnalsError(
          error.code,
          "a '\(record.type.text)' of \(record.version.map { "version \($0)" } ?? "no version") cannot be folded: \(error)"
        )
      }
    }
    entrances = (records, list)
    return list
  }
}

extension AppendGroup {
  /// Returns the context in which the projections of a set fold.
  mutating func room(of set: InlineSet) -> InlineContext {
    if let room = ruleMemory as? InlineContext, room.set.id == set.id { return room }
    let new = set.room()
    ruleMemory = new
    return new
  }

  /// Folds the events of a call, which begins after the newest entry, and puts the changed rows.
  ///
  /// - Returns: The reason for refusing the call; nothing is put then.
  /// - Throws: An error that ends the whole transaction.
  fileprivate mutating func fold(
    _ request: AppendRequest, into set: InlineSet, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> AnnalsError? {
    let active: [(member: Int, row: Int)]
    do throws(AnnalsError) { active = try self.active(of: set) } catch { return error }
    guard !active.isEmpty else { return nil }
    guard let table = transaction.environment.later(StoreTables.inline.name) else {
      return AnnalsError.missingInline
    }
    let room = room(of: set)
    do throws(AnnalsError) {
      room.clear()
      try locate(request, in: transaction)
      try upcast(request, into: room)
    } catch {
      room.forget()
      return error
    }
    let refusal = try room.fold(
      into: active.map { ($0.member, rules[$0.row].number) }, table, in: &transaction)
    if let refusal { return refusal }
    hasAppliedRules = true
    for (_, row) in active { rules[row].folded = last + UInt64(request.items.count) }
    return nil
  }

  /// Returns the projections of a set that are in force, each with the index of its row.
  ///
  /// - Throws: The reason for refusing every call.
  func active(of set: InlineSet) throws(AnnalsError) -> [(member: Int, row: Int)] {
    var active: [(member: Int, row: Int)] = []
    for index in set.members.indices {
      // Others are not in force in this version, and count as absent.
      guard let row = set.row(of: index, inForceIn: rules) else { continue }
      let outline = set.members[index].outline
      guard rules[row].text == outline.text else { throw AnnalsError(changedTablesOf: outline) }
      guard rules[row].folded == last else { throw AnnalsError(incompleteRowsOf: outline) }
      active.append((index, row))
    }
    return active
  }

  /// Upcasts the events of a call to the form in which readers receive them.
  private func upcast(_ request: AppendRequest, into room: InlineContext) throws(AnnalsError) {
    let (set, buffer) = (room.set, room.buffer)
    let entrances = try room.entrances(of: request.records)
    var next: [StreamName: UInt64] = [:]
    for (index, part) in request.parts.enumerated() {
      var revision = next[part.stream] ?? ends[index].map { $0.revision.rawValue + 1 } ?? 0
      for item in part.items {
        let event = request.items[item]
        try set.upcast(
          event, in: request, of: part.stream, Position(last + 1 + UInt64(item)), Revision(revision),
          tags: request.tags(of: event), entrances[event.record], into: buffer)
        revision += 1
      }
      if request.parts.count > 1 { next[part.stream] = revision }
    }
  }
}

extension InlineSet {
  /// Upcasts an event of a call that is being decided.
  func upcast(
    _ event: AppendRequest.Item, in call: borrowing AppendRequest, of stream: StreamName,
    _ position: Position, _ revision: Revision, tags: [EventTag], _ entrance: CompiledPlan.Entrance,
    into buffer: EventBuffer
  ) throws(AnnalsError) {
    let metadata: Metadata
    do throws(CodingFailure) {
      metadata = try call.withBytes(of: event) { (_, bytes) throws(CodingFailure) in
        bytes.isEmpty ? Metadata() : try Metadata(encoded: bytes)
      }
    } catch {
      throw AnnalsError(malformed: error, what: "the metadata")
    }
    let origin = Origin(
      position: position, stream: stream, revision: revision,
      timestamp: Timestamp(microseconds: event.time), id: event.id, metadata: metadata, tags: tags, log: log)
    do throws(UpcastFailure) {
      try call.withBytes(of: event) { (payload, _) throws(UpcastFailure) in
        try reach.plan.upcast(entrance, payload: payload, origin: origin, into: buffer)
      }
    } catch {
      throw AnnalsError(error, origin)
    }
  }
}
