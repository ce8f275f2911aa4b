internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The state of the store's inline projections within a group of appends.
struct InlineGroup {
  /// The projections, with their progress after the group's calls.
  var rows: [InlineRow]
  /// Whether the group has folded anything.
  var hasFolded = false
  /// The context in which the last call folded.
  private var room: InlineContext?

  init(_ rows: [InlineRow]) {
    self.rows = rows
  }

  /// Returns the context in which the projections of a set fold.
  mutating func room(of set: InlineSet) -> InlineContext {
    if let room, room.set.id == set.id { return room }
    let new = set.room()
    room = new
    return new
  }
}

extension AppendGroup {
  /// Folds the events of a call, which begins after the newest entry, and puts the changed rows.
  ///
  /// - Returns: The reason for refusing the call; nothing is put then.
  /// - Throws: An error that ends the whole transaction.
  mutating func foldInline(
    _ request: AppendRequest, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> AnnalsError? {
    if let unknown = inline.rows.first(where: { $0.isInForce && request.inline?.knows($0) != true }) {
      return AnnalsError(unknown, appendingWith: request)
    }
    guard let set = request.inline else { return nil }
    let active: [(member: Int, row: Int)]
    switch inForce(of: set) {
    case .success(let found): active = found
    case .failure(let error): return error
    }
    guard !active.isEmpty else { return nil }
    guard let table = transaction.environment.later(StoreTables.inline.name) else {
      return AnnalsError(
        .requiresActivation,
        "the store has no rows of its inline projections yet: open it again, which folds them")
    }
    for (member, row) in active
    where inline.rows[row].folded < last && last - inline.rows[row].folded > InlineContext.longestGap {
      return AnnalsError(
        .requiresActivation,
        "the inline projection '\(set.members[member].outline.name)' is folded up to position \(inline.rows[row].folded) of \(last): open the store again, which folds the rest between other appends"
      )
    }
    let room = inline.room(of: set)
    for (member, row) in active where inline.rows[row].folded < last {
      var changed = inline.rows[row]
      // A failed put is not a refusal. Part of the chunk may already be in the transaction, which must not be
      // committed for other calls.
      let refusal = try room.catchUp(
        member: member, &changed, to: last, kinds, tables, table, in: &transaction)
      if changed.folded != inline.rows[row].folded { inline.hasFolded = true }
      inline.rows[row] = changed
      if let refusal {
        room.forget()
        return refusal
      }
    }
    do throws(AnnalsError) {
      room.clear()
      try locate(request, in: transaction)
      try upcast(request, into: room)
    } catch {
      room.forget()
      return error
    }
    let refusal = try room.fold(
      into: active.map { ($0.member, inline.rows[$0.row].number) }, table, in: &transaction)
    if let refusal { return refusal }
    inline.hasFolded = true
    for (_, row) in active { inline.rows[row].folded = last + UInt64(request.items.count) }
    return nil
  }

  /// Returns the projections of a set that are in force in the store.
  private func inForce(of set: InlineSet) -> Result<[(member: Int, row: Int)], AnnalsError> {
    var active: [(member: Int, row: Int)] = []
    for index in set.members.indices {
      if let row = set.row(of: index, in: inline.rows), inline.rows[row].state == .live {
        active.append((index, row))
        continue
      }
      // If this version is mandatory, a newer version in force has already refused the call; otherwise this
      // version is retired. A version that is not in force does not count.
      let member = set.members[index]
      let isSuperseded = inline.rows.contains {
        $0.state == .live && member.isNamed(by: $0) && $0.version > member.outline.version
      }
      if isSuperseded { continue }
      return .failure(
        AnnalsError(
          .requiresActivation,
          "the inline projection '\(member.outline.name)' is not in force in the store any more; open the store again"
        ))
    }
    return .success(active)
  }

  /// Upcasts the events of a call to the form in which readers receive them.
  private func upcast(_ request: AppendRequest, into room: InlineContext) throws(AnnalsError) {
    let (set, buffer) = (room.set, room.buffer)
    var entrances: [CompiledPlan.Entrance] = []
    for record in request.records {
      do throws(MissingStep) { entrances.append(try set.reach.plan.entrance(of: record)) } catch {
        throw AnnalsError(
          error.code,
          "a '\(record.type.text)' of \(record.version.map { "version \($0)" } ?? "no version") cannot be folded: \(error)"
        )
      }
    }
    var next: [StreamName: UInt64] = [:]
    for (index, part) in request.parts.enumerated() {
      var revision = next[part.stream] ?? ends[index].map { $0.revision.rawValue + 1 } ?? 0
      for item in part.items {
        let event = request.items[item]
        let metadata: Metadata
        do throws(CodingFailure) {
          let bytes = event.metadata
          metadata = bytes.isEmpty ? Metadata() : try Metadata(encoded: bytes.span)
        } catch {
          throw AnnalsError(malformed: error, what: "the metadata")
        }
        let origin = Origin(
          position: Position(last + 1 + UInt64(item)), stream: part.stream, revision: Revision(revision),
          timestamp: Timestamp(microseconds: event.time), id: event.id, metadata: metadata, log: set.log)
        do throws(UpcastFailure) {
          let payload = event.payload
          try set.reach.plan.upcast(
            entrances[event.record], payload: payload.span, origin: origin, into: buffer)
        } catch {
          throw AnnalsError(error, origin)
        }
        revision += 1
      }
      if request.parts.count > 1 { next[part.stream] = revision }
    }
  }
}

extension AnnalsError {
  /// Creates the error for an append by a program that lacks a mandatory projection.
  init(_ row: InlineRow, appendingWith request: AppendRequest) {
    guard request.rollout != nil || request.inline != nil else {
      self.init(
        .needsPlan,
        "the store has the inline projection '\(row.name)', which every append must go through: append with a plan, by an EventStore that is opened with it"
      )
      return
    }
    self.init(
      .superseded,
      "every append must go through version \(row.version) of the inline projection '\(row.name)', which this program does not know: use one that opens the store with it"
    )
  }
}
