public import Annals

/// The results of a plan for given events, to be compared with expected ones.
public struct When<Plan: SchemaMigrationPlan>: Sendable {
  private let read: @Sendable () throws -> Reading

  init(_ read: @escaping @Sendable () throws -> Reading) {
    self.read = read
  }

  /// Checks that exactly these events are delivered, in this order.
  ///
  /// Events are compared in their stored form: by every bit of every field.
  ///
  /// - Parameter expected: The events of the plan's current version.
  /// - Throws: ``RuleMismatch`` with both sides as text, the errors of a stage's `prepare`, and
  ///   ``AnnalsError`` for a plan or an event that cannot be used.
  public func then(_ expected: [Plan.Current.Event]) throws {
    let pipeline = try Plan.stages.pipeline(FrozenContexts())
    let forms = try expected.map { event in try pipeline.form(of: event) }
    let found = try read()
    if case .events(let parts) = found.outcome, parts.map(\.form) == forms { return }
    throw RuleMismatch(expected: forms.isEmpty ? ["dropped"] : forms.map(ValueText.text), found: found.lines)
  }

  /// Checks that no event is delivered.
  ///
  /// It also succeeds for events that the plan retains; ``thenRetained()`` distinguishes the two.
  ///
  /// - Throws: As ``then(_:)``.
  public func thenDropped() throws {
    try then([])
  }

  /// Checks that the plan retains the events: none is delivered, and a migration pass leaves their entries as
  /// they are stored.
  ///
  /// It succeeds if a ``Retain(_:)`` takes the record of every event, or all records that earlier rules make
  /// of that record. It does not succeed for an event that is dropped.
  ///
  /// - Throws: As ``then(_:)``.
  public func thenRetained() throws {
    let found = try read()
    if found.isRetained { return }
    throw RuleMismatch(expected: ["retained"], found: found.lines)
  }

  /// Checks that the events are refused with this error.
  ///
  /// - Parameter code: `ruleFailed` for an error of a rule, `malformed` for a payload that does not fit its
  ///   record.
  /// - Throws: As ``then(_:)``.
  public func thenFails(_ code: AnnalsError.Code) throws {
    let found = try read()
    if case .refused(code, _, _) = found.outcome { return }
    throw RuleMismatch(expected: ["refused \(code)"], found: found.lines)
  }
}
