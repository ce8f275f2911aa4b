internal import AnnalsCoding

/// Converts each record of one type to one record of a stated type.
///
/// ```swift
/// Upcast(\.placed, to: \.placed) { old, origin in .init(total: old.total, currency: "EUR") }
/// ```
///
/// - Parameters:
///   - path: The record of the older version.
///   - target: The record of the newer version.
///   - body: Makes the new record from the old one and its entry's origin. It must be pure: the same result
///     whenever, wherever and however often it runs. An error it throws stops the reader at that entry.
@inlinable public func Upcast<From, To, Context, Old, New>(
  _ path: RecordPath<From, Old>, to target: RecordPath<To, New>,
  _ body: @escaping @Sendable (consuming Old, Origin) throws -> New
) -> Rule<From, To, Context> {
  upcast(path, to: target) { _ in body }
}

/// Converts each record of one type to one record of a stated type, using the stage's context.
///
/// - Parameters:
///   - path: The record of the older version.
///   - target: The record of the newer version.
///   - body: Makes the new record from the old one, its entry's origin and the context. It must be pure.
@inlinable public func Upcast<From, To, Context, Old, New>(
  _ path: RecordPath<From, Old>, to target: RecordPath<To, New>,
  _ body: @escaping @Sendable (consuming Old, Origin, Context) throws -> New
) -> Rule<From, To, Context> {
  upcast(path, to: target) { context in
    { old, origin in try body(old, origin, try expect(context)) }
  }
}

/// Converts each record of one type to one event of any type.
///
/// ```swift
/// Upcast(\.placed) { old, origin in
///   old.total < 0 ? .refunded(.init(total: -old.total)) : .placed(.init(total: old.total))
/// }
/// ```
///
/// With such a rule, every filter by type must upcast the record. If only one type results, name it with
/// `to:`.
///
/// - Parameters:
///   - path: The record of the older version.
///   - body: Makes the event of the newer version from the old record and its entry's origin. It must be
///     pure. An error it throws stops the reader at that entry.
@inlinable public func Upcast<From, To, Context, Old>(
  _ path: RecordPath<From, Old>, _ body: @escaping @Sendable (consuming Old, Origin) throws -> To.Event
) -> Rule<From, To, Context> {
  upcast(path) { _ in body }
}

/// Converts each record of one type to one event of any type, using the stage's context.
///
/// - Parameters:
///   - path: The record of the older version.
///   - body: Makes the event of the newer version from the old record, its entry's origin and the context. It
///     must be pure.
@inlinable public func Upcast<From, To, Context, Old>(
  _ path: RecordPath<From, Old>,
  _ body: @escaping @Sendable (consuming Old, Origin, Context) throws -> To.Event
) -> Rule<From, To, Context> {
  upcast(path) { context in
    { old, origin in try body(old, origin, try expect(context)) }
  }
}

/// Makes the rule for both forms of `Upcast` with `to:`.
@inlinable func upcast<From, To, Context, Old, New>(
  _ path: RecordPath<From, Old>, to target: RecordPath<To, New>,
  _ make: @escaping @Sendable (Context?) -> @Sendable (consuming Old, Origin) throws -> New
) -> Rule<From, To, Context> {
  let target = To.Event.cases[keyPath: target]
  return Rule(.upcast, From.Event.cases[keyPath: path].index, .cases([target.index])) { next, context, _ in
    let body = make(context)
    let step = target.step(next)
    return RecordStep<Old> { (old: consuming Old, origin, buffer) throws(StepFailure) in
      let new: New
      do { new = try body(old, origin) } catch {
        throw .ruleThrew(Rule<From, To, Context>.site(Old.self), error)
      }
      try step.run(consume new, origin, buffer)
    }
  }
}

/// Makes the rule for both forms of `Upcast` that return an event.
@inlinable func upcast<From, To, Context, Old>(
  _ path: RecordPath<From, Old>,
  _ make: @escaping @Sendable (Context?) -> @Sendable (consuming Old, Origin) throws -> To.Event
) -> Rule<From, To, Context> {
  Rule(.upcast, From.Event.cases[keyPath: path].index, .anything) { next, context, _ in
    let body = make(context)
    return RecordStep<Old> { (old: consuming Old, origin, buffer) throws(StepFailure) in
      let new: To.Event
      do { new = try body(old, origin) } catch {
        throw .ruleThrew(Rule<From, To, Context>.site(Old.self), error)
      }
      try (consume new).send(through: next, origin, into: buffer)
    }
  }
}
