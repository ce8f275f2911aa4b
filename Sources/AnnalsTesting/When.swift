public import Annals

/// What a plan makes of given events, to be compared with what is expected.
public struct When<Plan: SchemaMigrationPlan>: Sendable {
  private let read: @Sendable () throws -> Reading

  init(_ read: @escaping @Sendable () throws -> Reading) {
    self.read = read
  }

  /// Throws unless exactly these events come out, in this order.
  ///
  /// Events are compared as they are stored: by every bit of every field.
  ///
  /// - Parameter expected: The events of the plan's current version.
  /// - Throws: ``RuleMismatch`` with both sides as text, what a stage's `prepare` throws, and ``AnnalsError``
  ///   for a plan or an event that cannot be used.
  public func then(_ expected: [Plan.Current.Event]) throws {
    let pipeline = try Plan.stages.pipeline(FrozenContexts())
    let forms = try expected.map { event in try pipeline.form(of: event) }
    let found = try read()
    if case .events(let parts) = found.outcome, parts.map(\.form) == forms { return }
    throw RuleMismatch(expected: forms.isEmpty ? ["dropped"] : forms.map(ValueText.text), found: found.lines)
  }

  /// Throws unless nothing comes out.
  ///
  /// It also holds for events that the plan retains; ``thenRetained()`` tells the two apart.
  ///
  /// - Throws: As ``then(_:)``.
  public func thenDropped() throws {
    try then([])
  }

  /// Throws unless the plan retains the events: nothing comes out, and a migration pass leaves their
  /// entries as they are stored.
  ///
  /// It holds where a ``Retain(_:)`` takes the record of every event, or all records that rules before it make
  /// of that record. It does not hold for an event that is dropped.
  ///
  /// - Throws: As ``then(_:)``.
  public func thenRetained() throws {
    let found = try read()
    if found.isRetained { return }
    throw RuleMismatch(expected: ["retained"], found: found.lines)
  }

  /// Throws unless the events are refused with this error.
  ///
  /// - Parameter code: `ruleFailed` for what a rule throws, `malformed` for a payload that is none of its
  ///   record.
  /// - Throws: As ``then(_:)``.
  public func thenFails(_ code: AnnalsError.Code) throws {
    let found = try read()
    if case .refused(code, _, _) = found.outcome { return }
    throw RuleMismatch(expected: ["refused \(code)"], found: found.lines)
  }
}
