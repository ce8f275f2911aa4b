package import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsShapes
internal import LMDB

/// What a rule makes of neighbouring plain calls.
package struct PlainOutcome {
  /// The number of calls from the first one on that it accepts.
  package var accepted: Int
  /// The reason for refusing the next one; `nil` if it accepts all.
  package var refusal: AnnalsError?

  package init(accepted: Int, refusal: AnnalsError? = nil) {
    self.accepted = accepted
    self.refusal = refusal
  }
}

// Plain calls of a shared log, many at a time.
extension AppendGroup {
  /// The most plain calls that are decided together.
  private static let most = 512

  /// Decides plain calls, and stores the events of those that are accepted.
  ///
  /// Each verdict is the one that the call would get alone: a check that is made once for many of them has
  /// the same result for each. A call with a record type that the log does not have yet is decided alone.
  mutating func run(
    _ plain: PlainCalls, _ range: Range<Int>, _ answers: inout SequencedAnswers,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    var next = range.lowerBound
    var most = Self.most
    var known: [UInt32]?
    while next < range.upperBound {
      let kinds: [UInt32]
      if let known { kinds = known } else { kinds = try sharedKinds(of: plain) }
      known = kinds
      let end = end(of: plain, next..<min(next + most, range.upperBound), kinds)
      if end > next {
        if let outcome = try accept(plain, next..<end, kinds, &answers, in: &transaction) {
          next += outcome.accepted
          most = min(most * 2, Self.most)
          guard let refusal = outcome.refusal else { continue }
          guard refusal.code.isVerdict else { throw refusal }
          answers.append(.failure(refusal))
          next += 1
          // The work for the calls after it was in vain, and the next one may be refused, too.
          most = 1
          continue
        }
        known = []
      } else if !kinds.isEmpty {
        // Once its record type is known, the next calls may have it.
        known = nil
      }
      answers.append(try run(plain.call(at: next), at: plain.times[next], in: &transaction))
      next += 1
    }
  }

  /// Returns the kind of each record type of plain calls, as far as such calls may be decided together; 0 for
  /// the others, and nothing if none may.
  private func sharedKinds(of plain: PlainCalls) throws(AnnalsError) -> [UInt32] {
    let events = plain.events
    if let missing = missingRule(of: events) { throw missing }
    guard !kinds.limitsStreams, kinds.unnoted.isEmpty, events.rules.count <= 1 else { return [] }
    for rule in events.rules {
      let changes: [PhaseChange]
      do throws(AnnalsError) { changes = try rule.admit(events, to: self) } catch { return [] }
      guard changes.isEmpty else { return [] }
    }
    return events.records.map { record in
      let kind = kind(of: record)
      return kind == 0 || record.shape?.personal != nil || kinds.refusal(of: [record]) != nil ? 0 : kind
    }
  }

  /// Returns the end of the calls from the first one on whose record types have kinds.
  private func end(of plain: PlainCalls, _ range: Range<Int>, _ kinds: [UInt32]) -> Int {
    if kinds.isEmpty { return range.lowerBound }
    if !kinds.contains(0) { return range.upperBound }
    let (parts, items) = (plain.events.parts.span, plain.events.items.span)
    for index in range {
      for item in parts[index].items where kinds[items[item].record] == 0 { return index }
    }
    return range.upperBound
  }

  /// Decides plain calls whose record types have kinds, and stores them.
  ///
  /// - Returns: What became of them; `nil` if each has to be decided alone.
  private mutating func accept(
    _ plain: PlainCalls, _ range: Range<Int>, _ kinds: [UInt32], _ answers: inout SequencedAnswers,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> PlainOutcome? {
    places.removeAll(keepingCapacity: true)
    var outcome = PlainOutcome(accepted: range.count)
    if let rule = plain.events.rules.first {
      guard let found = try rule.apply(plain, range, to: &self, in: &transaction) else { return nil }
      outcome = found
    }
    let accepted = range.prefix(outcome.accepted)
    if !accepted.isEmpty { try store(plain, accepted, kinds, &answers, in: &transaction) }
    return outcome
  }
}
