internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import LMDB

// Plain calls of a shared log, many at a time.
extension AppendGroup {
  /// Folds the events of neighbouring plain calls, which begin after the newest entry, and puts the changed
  /// rows, as if each call were folded alone.
  ///
  /// - Returns: How many calls are accepted, and why the next one is refused; `nil` if each has to be decided
  ///   alone.
  /// - Throws: An error that ends the whole transaction.
  mutating func fold(
    _ calls: PlainCalls, _ range: Range<Int>, into set: InlineSet, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> PlainOutcome? {
    let active: [(member: Int, row: Int)]
    do throws(AnnalsError) { active = try self.active(of: set) } catch {
      return PlainOutcome(accepted: 0, refusal: error)
    }
    guard !active.isEmpty else { return PlainOutcome(accepted: range.count) }
    guard let table = transaction.environment.later(StoreTables.inline.name) else {
      return PlainOutcome(accepted: 0, refusal: AnnalsError.missingInline)
    }
    let room = room(of: set)
    let entrances: [CompiledPlan.Entrance]
    // The list has the record types of all calls, and only some may be without an entrance.
    do throws(AnnalsError) { entrances = try room.entrances(of: calls.events.records) } catch { return nil }
    room.clear()
    do throws(AnnalsError) { try locate(calls.events, range, in: transaction) } catch {
      room.forget()
      return PlainOutcome(accepted: 0, refusal: error)
    }
    let (ends, failure) = upcast(calls, range, entrances, into: room)
    var outcome = try room.fold(
      ends, into: active.map { ($0.member, rules[$0.row].number) }, table, in: &transaction)
    if outcome.refusal == nil, let failure {
      room.forget()
      outcome.refusal = failure
    }
    guard outcome.accepted > 0 else { return outcome }
    hasAppliedRules = true
    let (parts, first) = (calls.events.parts, range.lowerBound)
    let end = parts[first + outcome.accepted - 1].items.upperBound
    for (_, row) in active { rules[row].folded = last + UInt64(end - parts[first].items.lowerBound) }
    return outcome
  }

  /// Upcasts the events of plain calls to the form in which readers receive them.
  ///
  /// - Returns: The number of upcast events up to the end of each call, and why those of the next call cannot
  ///   be upcast.
  private func upcast(
    _ calls: PlainCalls, _ range: Range<Int>, _ entrances: [CompiledPlan.Entrance],
    into room: InlineContext
  ) -> (ends: [Int], failure: AnnalsError?) {
    let (set, buffer) = (room.set, room.buffer)
    let (parts, items) = (calls.events.parts.span, calls.events.items.span)
    let start = parts[range.lowerBound].items.lowerBound
    var result: [Int] = []
    result.reserveCapacity(range.count)
    var next: [StreamHash: UInt64] = [:]
    for index in range {
      let hash = parts[index].hash
      var revision = next[hash] ?? ends[index - range.lowerBound].map { $0.revision.rawValue + 1 } ?? 0
      do throws(AnnalsError) {
        for item in parts[index].items {
          try set.upcast(
            items[item], in: calls.events, of: parts[index].stream, Position(last + 1 + UInt64(item - start)),
            Revision(revision), tags: [], entrances[items[item].record], into: buffer)
          revision += 1
        }
      } catch {
        return (result, error)
      }
      next[hash] = revision
      result.append(buffer.count)
    }
    return (result, nil)
  }
}

extension InlineContext {
  /// Folds the upcast events of several calls into some of the projections, and puts the changed rows of each
  /// call before the next one is folded.
  ///
  /// - Parameters:
  ///   - ends: The number of upcast events up to the end of each call.
  ///   - members: The projections, each with the number of its rows.
  /// - Returns: How many calls are folded, and the reason for refusing the next one, of which nothing is put.
  /// - Throws: An error that ends the whole transaction.
  final func fold(
    _ ends: [Int], into members: [(member: Int, number: UInt16)], _ table: Table,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> PlainOutcome {
    var next = 0
    while next < ends.count {
      do throws(AnnalsError) {
        // Calls that change no row need no boundary, unless several projections fold each of them.
        let last = members.count == 1 ? ends.count - 1 : next
        for (member, number) in members {
          let source = RowSource(
            transaction.view, table, prefix: RuleRow.keyPrefix(number),
            name: set.members[member].outline.name)
          try apply(member: member, source, ends, &next, upTo: last)
          if let failure = stagings[member].failure { throw failure }
          try stagings[member].check()
        }
      } catch {
        forget()
        return PlainOutcome(accepted: next, refusal: error)
      }
      for (member, _) in members {
        try stagings[member].flush(into: &transaction, table)
        stagings[member].settle()
      }
      next += 1
    }
    clear()
    return PlainOutcome(accepted: ends.count)
  }
}
