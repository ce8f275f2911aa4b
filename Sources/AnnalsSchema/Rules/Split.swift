internal import AnnalsCoding

/// Converts each record of one type to any number of events of stated types.
///
/// The parts share the position and revision of their entry, are in the order of the result, and differ in
/// their path. An empty result drops the entry, with the reason `emptyBecause`.
///
/// ```swift
/// Split(\.placed, into: [\.lineAdded]) { old, origin in old.lines.map { .lineAdded(.init(text: $0)) } }
/// ```
///
/// - Parameters:
///   - path: The record of the older version.
///   - outputs: The records of the newer version that may result. An event of another record is an error for
///     the reader. Filters by type upcast the older record for these types only.
///   - reason: Why an entry is dropped if `body` returns no events.
///   - body: Returns at most 10,000 events of the newer version. It must be pure. An error it throws stops
///     the reader at that entry.
@inlinable public func Split<From, To, Context, Old>(
  _ path: RecordPath<From, Old>, into outputs: [PartialKeyPath<To.Event.Cases>],
  emptyBecause reason: String? = nil,
  _ body: @escaping @Sendable (consuming Old, Origin) throws -> [To.Event]
) -> Rule<From, To, Context> {
  split(path, .into(outputs, of: To.Event.cases), reason) { _ in body }
}

/// Converts each record of one type to any number of events of any type.
///
/// As with `into:`, but every filter by type must upcast the older record.
///
/// - Parameters:
///   - path: The record of the older version.
///   - reason: Why an entry is dropped if `body` returns no events.
///   - body: Returns at most 10,000 events of the newer version. It must be pure. An error it throws stops
///     the reader at that entry.
@inlinable public func Split<From, To, Context, Old>(
  _ path: RecordPath<From, Old>, emptyBecause reason: String? = nil,
  _ body: @escaping @Sendable (consuming Old, Origin) throws -> [To.Event]
) -> Rule<From, To, Context> {
  split(path, .anything, reason) { _ in body }
}

/// Converts each record of one type to any number of events of stated types, using the stage's context.
///
/// - Parameters:
///   - path: The record of the older version.
///   - outputs: The records of the newer version that may result.
///   - reason: Why an entry is dropped if `body` returns no events.
///   - body: Returns at most 10,000 events of the newer version. It must be pure.
@inlinable public func Split<From, To, Context, Old>(
  _ path: RecordPath<From, Old>, into outputs: [PartialKeyPath<To.Event.Cases>],
  emptyBecause reason: String? = nil,
  _ body: @escaping @Sendable (consuming Old, Origin, Context) throws -> [To.Event]
) -> Rule<From, To, Context> {
  split(path, .into(outputs, of: To.Event.cases), reason) { context in
    { old, origin in try body(old, origin, try expect(context)) }
  }
}

/// Converts each record of one type to any number of events of any type, using the stage's context.
///
/// - Parameters:
///   - path: The record of the older version.
///   - reason: Why an entry is dropped if `body` returns no events.
///   - body: Returns at most 10,000 events of the newer version. It must be pure.
@inlinable public func Split<From, To, Context, Old>(
  _ path: RecordPath<From, Old>, emptyBecause reason: String? = nil,
  _ body: @escaping @Sendable (consuming Old, Origin, Context) throws -> [To.Event]
) -> Rule<From, To, Context> {
  split(path, .anything, reason) { context in
    { old, origin in try body(old, origin, try expect(context)) }
  }
}

/// Makes the rule for all forms of `Split`.
@inlinable func split<From, To, Context, Old>(
  _ path: RecordPath<From, Old>, _ effect: RuleEffect, _ reason: String?,
  _ make: @escaping @Sendable (Context?) -> @Sendable (consuming Old, Origin) throws -> [To.Event]
) -> Rule<From, To, Context> {
  Rule(.split, From.Event.cases[keyPath: path].index, effect) { next, context, _ in
    let body = make(context)
    return RecordStep<Old> { (old: consuming Old, origin, buffer) throws(StepFailure) in
      let parts: [To.Event]
      do { parts = try body(old, origin) } catch {
        throw .ruleThrew(Rule<From, To, Context>.site(Old.self), error)
      }
      guard parts.count <= RuleSite.partLimit else {
        throw .tooManyParts(Rule<From, To, Context>.site(Old.self), parts.count)
      }
      if parts.isEmpty, buffer.notesDrops {
        buffer.note(Rule<From, To, Context>.site(Old.self), reason ?? "the split gave no events")
      }
      for (index, part) in parts.enumerated() {
        guard effect.allows(part.caseIndex) else {
          throw .unexpectedPart(
            Rule<From, To, Context>.site(Old.self), To.Event.records[part.caseIndex].type.recordName)
        }
        try part.send(through: next, origin.part(UInt32(truncatingIfNeeded: index)), into: buffer)
      }
    }
  }
}

extension RuleEffect {
  /// Returns whether an event of the case numbered `index` is a possible result.
  @inlinable package func allows(_ index: Int) -> Bool {
    switch self {
    case .anything: true
    case .cases(let indices): indices.contains(index)
    case .nothing, .retained, .unknown: false
    }
  }
}
