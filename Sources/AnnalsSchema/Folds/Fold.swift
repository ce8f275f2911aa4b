internal import AnnalsCoding

/// A rule that turns neighbouring records of one type in a stream into one record of a stated type.
///
/// ```swift
/// Fold(\.delivered, into: \.overBowled, grouping: { old, origin in old.over }, from: Over()) { over, old, origin in
///   over.add(old)
/// } result: { over, origin in
///   .init(over: over.number, runs: over.runs)
/// }
/// ```
///
/// The records of one stream whose keys are equal and between which no record of the fold has another key are a group; records of other types between them do not
/// end it. The result stands where the last record of the group stands, as its first part: with its position and revision, and its path and 0. The others read as
/// dropped.
///
/// Where groups end is worked out once, when the stage is activated, and kept in the store; nobody appends events of an older version from then on. See
/// ``StoreOptions/activating``. What is gathered is never stored.
///
/// All records of a group stand in memory while it is folded, by a reader and by each thread of a pass.
///
/// - Parameters:
///   - path: The record of the older version.
///   - target: The record of the newer version.
///   - key: What the records of a group have in common. Keys are compared as they are encoded, byte by byte. A record with the key `nil` is a group of its own.
///     It runs at the activation alone. What it throws ends the activation.
///   - initial: What to begin each group with.
///   - step: Takes the next record of the group, oldest first, and what is known of its entry.
///   - result: The new record, from what was gathered and what is known of the last entry. All three must be pure. What this one and `step` throw stops the reader
///     at the last entry.
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
    return { (state, origin, site, sink) throws(StepFailure) in
      let new: New
      do { new = try result(state, origin) } catch { throw .ruleThrew(site, error) }
      try newer.run(consume new, origin.part(0), sink)
    }
  }
}

/// A rule that turns neighbouring records of one type in a stream into any number of events of stated types.
///
/// As the form for one record, but the parts of the result are told apart by the last number of their path; to give none is to drop the group, for the reason that
/// `emptyBecause` says.
///
/// All records of a group stand in memory while it is folded, by a reader and by each thread of a pass.
///
/// - Parameters:
///   - path: The record of the older version.
///   - outputs: The records of the newer version that may come out; an event of another one is an error of the reader.
///   - key: What the records of a group have in common; `nil` for a record that is a group of its own.
///   - initial: What to begin each group with.
///   - reason: Why a group is dropped for which `result` gives nothing.
///   - step: Takes the next record of the group, oldest first, and what is known of its entry.
///   - result: At most 10,000 events of the newer version, from what was gathered and what is known of the last entry. All three must be pure.
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

/// A rule that turns neighbouring records of several types in a stream into any number of events of stated types.
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
/// As the form for one type: neighbours are those that stand next to each other among all records of these types in the stream.
///
/// All records of a group stand in memory while it is folded, by a reader and by each thread of a pass.
///
/// - Parameters:
///   - paths: The records of the older version.
///   - outputs: The records of the newer version that may come out; an event of another one is an error of the reader.
///   - key: What the records of a group have in common; `nil` for a record that is a group of its own. It is given events of these types alone.
///   - initial: What to begin each group with.
///   - reason: Why a group is dropped for which `result` gives nothing.
///   - step: Takes the next event of the group, oldest first, and what is known of its entry.
///   - result: At most 10,000 events of the newer version, from what was gathered and what is known of the last entry. All three must be pure.
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

/// What delivers the results of a fold that gives any number of events.
@inlinable func parts<Event: SchemaEvent, State>(
  _ effect: RuleEffect, _ reason: String?,
  _ result: @escaping @Sendable (State, Origin) throws -> [Event]
) -> @Sendable (Event.Steps) -> FoldResult<State> {
  { next in
    { (state, origin, site, sink) throws(StepFailure) in
      let parts: [Event]
      do { parts = try result(state, origin) } catch { throw .ruleThrew(site, error) }
      guard parts.count <= RuleSite.partLimit else { throw .tooManyParts(site, parts.count) }
      if parts.isEmpty, sink.notesDrops { sink.note(site, reason ?? "the fold gave no events") }
      for (index, part) in parts.enumerated() {
        guard effect.allows(part.caseIndex) else {
          throw .unexpectedPart(site, Event.records[part.caseIndex].type.recordName)
        }
        try part.send(through: next, origin.part(UInt32(truncatingIfNeeded: index)), into: sink)
      }
    }
  }
}

/// What delivers the result of a group, given what was gathered and what is known of the group's last entry.
@usableFromInline typealias FoldResult<State> =
  @Sendable (State, Origin, RuleSite, Sink) throws(StepFailure) -> Void

/// The rule of all forms of `Fold`.
///
/// - Parameters:
///   - cases: The cases of the older version; `nil` for a key path that leads to none.
///   - taking: Makes what turns an event into the value that `key` and `step` are given.
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
      // The check of the plan says that there is no such record, and nothing asks for its step.
      return Rule<From, To, Context>.Take(.fold, -1, effect) { _, _, _ in -1 }
    }
    return Rule<From, To, Context>.Take(.fold, recordCase.index, effect) { next, _, ends in
      let deliver = result(next)
      let site = Rule<From, To, Context>.site(named: recordCase.recordName)
      return recordCase.step(of: FoldSite(site, reason, ends), taken) {
        (group, origin, sink) throws(StepFailure) in
        let take = taking()
        var state = initial()
        for (event, origin) in group.events.reversed() {
          do { try step(&state, try take(event, origin), origin) } catch { throw .ruleThrew(site, error) }
        }
        try deliver(state, origin, site, sink)
      }
    }
  }
  return Rule(
    FoldRule(taken) {
      let take = taking()
      return { event, origin in try key(take(event, origin), origin).map(GroupKey.init) }
    }, takes)
}
