internal import AnnalsCoding

/// Combines neighbouring records of one type in a stream into one record of a stated type.
///
/// ```swift
/// Fold(\.delivered, into: \.overBowled, grouping: { old, origin in old.over }, from: Over()) { over, old, origin in
///   over.add(old)
/// } result: { over, origin in
///   .init(over: over.number, runs: over.runs)
/// }
/// ```
///
/// A group consists of the records of one stream with equal keys, as long as no record of the fold with
/// another key is between them. Records of other types in between do not end the group. The result replaces
/// the last record of the group, as its first part: it has that record's position and revision, and its path
/// followed by 0. The other records of the group read as dropped.
///
/// The ends of groups are computed once, when the stage is activated, and kept in the store. From then on, no
/// program can append events of an older version. See ``StoreOptions/activating``. The gathered state is
/// never stored.
///
/// All records of a group are in memory while it is folded, by a reader and by each thread of a pass.
///
/// - Parameters:
///   - path: The record of the older version.
///   - target: The record of the newer version.
///   - key: Returns the value that the records of a group have in common. Keys are compared in their encoded
///     form, byte by byte. A record with the key `nil` is a group by itself. The closure runs only during
///     activation. An error it throws ends the activation.
///   - initial: The initial state of each group.
///   - step: Adds the next record of the group, oldest first, with its entry's origin.
///   - result: Makes the new record from the state and the last entry's origin. All three closures must be
///     pure. An error that this one or `step` throws stops the reader at the last entry.
@inlinable public func Fold<From, To, Context, Old, Key: Encodable & Sendable, State, New>(
  _ path: RecordPath<From, Old>, into target: RecordPath<To, New>,
  grouping key: @escaping @Sendable (Old, Origin) throws -> Key?,
  from initial: @autoclosure @escaping @Sendable () -> State,
  _ step: @escaping @Sendable (inout State, Old, Origin) throws -> Void,
  result: @escaping @Sendable (State, Origin) throws -> New
) -> Rule<From, To, Context> {
  let target = To.Event.cases[keyPath: target]
  let steps = CatchSteps<From.Event>()
  return fold(
    [From.Event.cases[keyPath: path]], .cases([target.index]), taking: { steps.taking(Old.self) }, key,
    initial, step
  ) { next in
    let newer = target.step(next)
    return { (state, origin, site, buffer) throws(StepFailure) in
      let new: New
      do { new = try result(state, origin) } catch { throw .ruleThrew(site, error) }
      try newer.run(consume new, origin.part(0), buffer)
    }
  }
}

/// Combines neighbouring records of one type in a stream into any number of events of stated types.
///
/// This is like the form for one record, but the parts of the result differ in the last number of their path.
/// An empty result drops the group, with the reason `emptyBecause`.
///
/// All records of a group are in memory while it is folded, by a reader and by each thread of a pass.
///
/// - Parameters:
///   - path: The record of the older version.
///   - outputs: The records of the newer version that may result. An event of another record is an error for
///     the reader.
///   - key: Returns the value that the records of a group have in common; `nil` for a record that is a group
///     by itself.
///   - initial: The initial state of each group.
///   - reason: Why a group is dropped if `result` returns no events.
///   - step: Adds the next record of the group, oldest first, with its entry's origin.
///   - result: Returns at most 10,000 events of the newer version, from the state and the last entry's
///     origin. All three closures must be pure.
@inlinable public func Fold<From, To, Context, Old, Key: Encodable & Sendable, State>(
  _ path: RecordPath<From, Old>, into outputs: [PartialKeyPath<To.Event.Cases>],
  grouping key: @escaping @Sendable (Old, Origin) throws -> Key?,
  from initial: @autoclosure @escaping @Sendable () -> State,
  emptyBecause reason: String? = nil,
  _ step: @escaping @Sendable (inout State, Old, Origin) throws -> Void,
  result: @escaping @Sendable (State, Origin) throws -> [To.Event]
) -> Rule<From, To, Context> {
  let effect = RuleEffect.into(outputs, of: To.Event.cases)
  let steps = CatchSteps<From.Event>()
  return fold(
    [From.Event.cases[keyPath: path]], effect, taking: { steps.taking(Old.self) }, key, initial, step,
    parts(effect, reason, result))
}

/// Combines neighbouring records of several types in a stream into any number of events of stated types.
///
/// ```swift
/// Fold([\.setStarted, \.repCounted], into: [\.setLogged], grouping: { event, origin in origin.id }, from: SetSoFar()) { set, event, origin in
///   switch event {
///   case .setStarted(let started): set.exercise = started.exercise
///   case .repCounted: set.reps += 1
///   default: break
///   }
/// } result: { set, origin in
///   [.setLogged(.init(exercise: set.exercise, reps: set.reps))]
/// }
/// ```
///
/// This is like the form for one type: neighbours are records next to each other among all records of these
/// types in the stream.
///
/// All records of a group are in memory while it is folded, by a reader and by each thread of a pass.
///
/// - Parameters:
///   - paths: The records of the older version.
///   - outputs: The records of the newer version that may result. An event of another record is an error for
///     the reader.
///   - key: Returns the value that the records of a group have in common; `nil` for a record that is a group
///     by itself. It is only called with events of these types.
///   - initial: The initial state of each group.
///   - reason: Why a group is dropped if `result` returns no events.
///   - step: Adds the next event of the group, oldest first, with its entry's origin.
///   - result: Returns at most 10,000 events of the newer version, from the state and the last entry's
///     origin. All three closures must be pure.
@inlinable public func Fold<From, To, Context, Key: Encodable & Sendable, State>(
  _ paths: [PartialKeyPath<From.Event.Cases>], into outputs: [PartialKeyPath<To.Event.Cases>],
  grouping key: @escaping @Sendable (From.Event, Origin) throws -> Key?,
  from initial: @autoclosure @escaping @Sendable () -> State,
  emptyBecause reason: String? = nil,
  _ step: @escaping @Sendable (inout State, From.Event, Origin) throws -> Void,
  result: @escaping @Sendable (State, Origin) throws -> [To.Event]
) -> Rule<From, To, Context> {
  let effect = RuleEffect.into(outputs, of: To.Event.cases)
  let cases = From.Event.cases
  return fold(
    paths.map { cases[keyPath: $0] as? any EventCase<From.Event> }, effect, taking: { { event, _ in event } },
    key,
    initial, step, parts(effect, reason, result))
}

/// Delivers the results of a fold that returns any number of events.
@inlinable func parts<Event: SchemaEvent, State>(
  _ effect: RuleEffect, _ reason: String?,
  _ result: @escaping @Sendable (State, Origin) throws -> [Event]
) -> @Sendable (Event.Steps) -> FoldResult<State> {
  { next in
    { (state, origin, site, buffer) throws(StepFailure) in
      let parts: [Event]
      do { parts = try result(state, origin) } catch { throw .ruleThrew(site, error) }
      guard parts.count <= RuleSite.partLimit else { throw .tooManyParts(site, parts.count) }
      if parts.isEmpty, buffer.notesDrops { buffer.note(site, reason ?? "the fold gave no events") }
      for (index, part) in parts.enumerated() {
        guard effect.allows(part.caseIndex) else {
          throw .unexpectedPart(site, Event.records[part.caseIndex].type.recordName)
        }
        try part.send(through: next, origin.part(UInt32(truncatingIfNeeded: index)), into: buffer)
      }
    }
  }
}

/// Delivers the result of a group from its state and the origin of its last entry.
@usableFromInline typealias FoldResult<State> =
  @Sendable (State, Origin, RuleSite, EventBuffer) throws(StepFailure) -> Void

/// Makes the rule for all forms of `Fold`.
///
/// - Parameters:
///   - cases: The cases of the older version; `nil` for a key path that leads to none.
///   - taking: Makes the closure that converts an event to the argument of `key` and `step`.
@inlinable func fold<From, To, Context, Taken, Key: Encodable & Sendable, State>(
  _ cases: [(any EventCase<From.Event>)?], _ effect: RuleEffect,
  taking: @escaping @Sendable () -> (From.Event, Origin) throws -> Taken,
  _ key: @escaping @Sendable (Taken, Origin) throws -> Key?, _ initial: @escaping @Sendable () -> State,
  _ step: @escaping @Sendable (inout State, Taken, Origin) throws -> Void,
  _ result: @escaping @Sendable (To.Event.Steps) -> FoldResult<State>
) -> Rule<From, To, Context> {
  let taken = FoldedCases(cases.map { $0?.index }, of: From.Event.records.count)
  let reason = FoldSite.reason(effect, To.Event.records)
  let takes = cases.map { recordCase in
    guard let recordCase else {
      // The check of the plan reports that there is no such record, and nothing uses its step.
      return Rule<From, To, Context>.Take(.fold, -1, effect) { _, _, _ in -1 }
    }
    return Rule<From, To, Context>.Take(.fold, recordCase.index, effect) { next, _, ends in
      let deliver = result(next)
      let site = Rule<From, To, Context>.site(named: recordCase.recordName)
      return recordCase.step(of: FoldSite(site, reason, ends), taken) {
        (group, origin, buffer) throws(StepFailure) in
        let take = taking()
        var state = initial()
        for (event, origin) in group.events.reversed() {
          do { try step(&state, try take(event, origin), origin) } catch { throw .ruleThrew(site, error) }
        }
        try deliver(state, origin, site, buffer)
      }
    }
  }
  return Rule(
    FoldRule(taken) {
      let take = taking()
      return { event, origin in try key(take(event, origin), origin).map(GroupKey.init) }
    }, takes)
}
