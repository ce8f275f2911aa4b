internal import AnnalsCoding
public import AnnalsShapes

/// Converts each record of one type to one record of a stated type, computes some of its fields, and keeps
/// all others.
///
/// ```swift
/// Keep(\.placed, to: \.placed, changing: \.currency, \.cents) { old, origin in
///   (old.country == "CH" ? "CHF" : "EUR", old.total * 100)
/// }
/// ```
///
/// A field that is not named is read as in a stage without a rule: under its name or original name, with its
/// type widened, nil if it is new and optional. It may have a `Default`, `Wrap`, `Plunge` or `Hoist` in the
/// same stage. A plan with an unnamed field that needs a rule is invalid; the error names the field. Both
/// records need a shape, and neither may contain itself.
///
/// A record costs about one encoding and one decoding more than with `Upcast`.
///
/// - Parameters:
///   - path: The record of the older version.
///   - target: The record of the newer version.
///   - fields: The fields of the newer record that `body` computes. They must be stored properties of the
///     record itself, each named once.
///   - body: Makes the values of `fields`, as a tuple in their order, from the old record and its entry's
///     origin. It must be pure. An error it throws stops the reader at that entry.
public func Keep<From, To, Context, Old, New, each Value: StoredValue>(
  _ path: RecordPath<From, Old>, to target: RecordPath<To, New>,
  changing fields: repeat any Sendable & KeyPath<New, each Value>,
  body: @escaping @Sendable (consuming Old, Origin) throws -> (repeat each Value)
) -> Rule<From, To, Context> {
  keep(path, to: target, numbers(of: repeat each fields)) { _ in
    { old, origin in try encoded(repeat each body(old, origin)) }
  }
}

/// Converts each record of one type to one record of a stated type, computes one of its fields, and keeps all
/// others.
///
/// ```swift
/// Keep(\.placed, to: \.placed, changing: \.currency) { old, _ in old.country == "CH" ? "CHF" : "EUR" }
/// ```
///
/// It is like the rule for several fields, but `body` returns the value itself instead of a tuple.
///
/// - Parameters:
///   - path: The record of the older version.
///   - target: The record of the newer version.
///   - field: The field of the newer record that `body` computes.
///   - body: Makes the value of `field` from the old record and its entry's origin. It must be pure. An error
///     it throws stops the reader at that entry.
public func Keep<From, To, Context, Old, New, Value: StoredValue>(
  _ path: RecordPath<From, Old>, to target: RecordPath<To, New>,
  changing field: any Sendable & KeyPath<New, Value>,
  body: @escaping @Sendable (consuming Old, Origin) throws -> Value
) -> Rule<From, To, Context> {
  // The compiler does not take `old.total > 0 ? 1 : 2` for a pack of one value.
  keep(path, to: target, numbers(of: field)) { _ in
    { old, origin in try encoded(body(old, origin)) }
  }
}

/// Converts each record of one type to one record of a stated type, computes some of its fields using the
/// stage's context, and keeps all others.
///
/// - Parameters:
///   - path: The record of the older version.
///   - target: The record of the newer version.
///   - fields: The fields of the newer record that `body` computes.
///   - body: Makes the values of `fields`, as a tuple in their order, from the old record, its entry's origin
///     and the context. It must be pure.
public func Keep<From, To, Context, Old, New, each Value: StoredValue>(
  _ path: RecordPath<From, Old>, to target: RecordPath<To, New>,
  changing fields: repeat any Sendable & KeyPath<New, each Value>,
  body: @escaping @Sendable (consuming Old, Origin, Context) throws -> (repeat each Value)
) -> Rule<From, To, Context> {
  keep(path, to: target, numbers(of: repeat each fields)) { context in
    { old, origin in try encoded(repeat each body(old, origin, try expect(context))) }
  }
}

/// Converts each record of one type to one record of a stated type, computes one of its fields using the
/// stage's context, and keeps all others.
///
/// - Parameters:
///   - path: The record of the older version.
///   - target: The record of the newer version.
///   - field: The field of the newer record that `body` computes.
///   - body: Makes the value of `field` from the old record, its entry's origin and the context. It must be
///     pure.
public func Keep<From, To, Context, Old, New, Value: StoredValue>(
  _ path: RecordPath<From, Old>, to target: RecordPath<To, New>,
  changing field: any Sendable & KeyPath<New, Value>,
  body: @escaping @Sendable (consuming Old, Origin, Context) throws -> Value
) -> Rule<From, To, Context> {
  keep(path, to: target, numbers(of: field)) { context in
    { old, origin in try encoded(body(old, origin, try expect(context))) }
  }
}

/// Returns the numbers in the record's shape of the fields of some properties; `nil` for a property that is
/// no stored field of the record itself.
private func numbers<New: Record, each Value>(
  of properties: repeat any Sendable & KeyPath<New, each Value>
) -> [Int?] {
  let shape = New.recordShape
  var numbers: [Int?] = []
  for property in repeat each properties {
    numbers.append(shape?.number(of: property as AnyKeyPath))
  }
  return numbers
}

/// Returns the values as they are stored, each by itself.
private func encoded<each Value: StoredValue>(_ values: repeat each Value) throws(CodingFailure) -> [[UInt8]]
{
  var encoded: [[UInt8]] = []
  for value in repeat each values {
    var writer = FieldWriter(continuing: [])
    try writer.field(value)
    encoded.append(writer.finish())
  }
  return encoded
}

/// Makes the rule for all forms of `Keep`.
private func keep<From, To, Context, Old, New>(
  _ path: RecordPath<From, Old>, to target: RecordPath<To, New>, _ changed: [Int?],
  _ make: @escaping @Sendable (Context?) -> @Sendable (consuming Old, Origin) throws -> [[UInt8]]
) -> Rule<From, To, Context> {
  let target = To.Event.cases[keyPath: target]
  let outline = KeepOutline(target: target.index, changed: changed)
  return Rule(outline, From.Event.cases[keyPath: path].index) { next, context, kept in
    let body = make(context)
    let step = target.step(next)
    return RecordStep<Old> { (old: consuming Old, origin, buffer) throws(StepFailure) in
      let others: [UInt8]
      do throws(CodingFailure) { others = try kept.convert(old) } catch { throw .undecodable(error) }
      let values: [[UInt8]]
      do { values = try body(old, origin) } catch {
        throw .ruleThrew(Rule<From, To, Context>.site(Old.self), error)
      }
      let new: New
      do throws(CodingFailure) {
        let payload = try kept.payload(others.span, values)
        new = try New.decode(payload: payload.span)
      } catch {
        throw .undecodable(error)
      }
      try step.run(consume new, origin, buffer)
    }
  }
}
