internal import AnnalsCoding
internal import AnnalsShapes

/// Gives personal fields of forgotten people their replacements, if rules or stages put other people's values
/// or values of a context into them.
///
/// What is in such a field cannot be encrypted, so a pass stores it in the clear. It may be there if it is
/// made of replacements and of values that are in the clear already. That is so if the rules make it from
/// nothing else: they are asked again, with everyone forgotten and without contexts.
struct ForgottenFields: Sendable {
  /// The personal fields of the plan's current records, by case.
  private let forms: [PersonalForm?]
  /// The steps of the plan's current records, by case.
  private let arrivals: [PayloadStep]
  private let cipher: any PersonalDataCipher
  /// Whether rules on the way may use a context.
  private let mayUseContext: Bool

  /// - Parameter mayUseContext: Whether rules on the way may use a context.
  init(
    _ forms: [PersonalForm?], _ arrivals: [PayloadStep], mayUseContext: Bool,
    _ cipher: any PersonalDataCipher
  ) {
    self.forms = forms
    self.arrivals = arrivals
    self.mayUseContext = mayUseContext
    self.cipher = cipher
  }

  /// Delivers the events of a stored payload.
  ///
  /// - Parameter step: The step of the payload.
  func settle(
    _ step: PayloadStep, _ payload: Span<UInt8>, _ origin: Origin, _ buffer: EventBuffer
  ) throws(StepFailure) {
    // What a fold makes of the records of a group is settled when it is delivered.
    guard buffer.takesCurrent, !buffer.withholds else { return try step.open(payload, origin, buffer) }
    let (before, isNoting) = (buffer.count, buffer.notesSubjects)
    buffer.openedSubjects = OpenedSubjects()
    buffer.notesSubjects = true
    defer { buffer.notesSubjects = isNoting }
    try step.open(payload, origin, buffer)
    let opened = buffer.openedSubjects
    guard mayUseContext || !opened.living.isEmpty, let delivered = buffer.delivered(after: before, forms)
    else { return }
    var others: [DeliveredPayload]?
    for (index, event) in delivered.enumerated() {
      guard let form = forms[event.caseIndex] else { continue }
      let fields = try forgotten(form, event, opened)
      if fields.isEmpty { continue }
      if others == nil { others = try withholding(step, payload, origin, buffer) }
      let other = others.flatMap { others in
        // The rules may drop another part than before.
        others.indices.contains(index) && others[index].isAlike(event)
          ? others[index] : others.first { $0.isAlike(event) }
      }
      let replaced: [UInt8]?
      do throws(CodingFailure) {
        replaced = try form.replacing(fields, in: event.bytes.span, unlessIn: other?.bytes)
      } catch {
        throw .undecodable(error)
      }
      guard let replaced else { continue }
      var origin = origin
      origin.path = event.path
      try buffer.replace(before + index, with: replaced, origin, arrivals[event.caseIndex])
    }
  }

  private func forgotten(
    _ form: PersonalForm, _ event: DeliveredPayload, _ opened: OpenedSubjects
  ) throws(StepFailure) -> [Int] {
    do throws(AnnalsError) {
      return try form.forgottenFields(in: event.bytes.span, besides: opened, cipher)
    } catch {
      throw .keysUnavailable(error)
    }
  }

  /// What earlier records of a group may fail with: replacements or missing contexts that rules refuse.
  private static let refusals: Set<AnnalsError.Code> = [.ruleFailed, .malformed, .requiresActivation]

  /// Returns what the payload becomes if everyone is forgotten and there are no contexts; empty if rules
  /// refuse that.
  private func withholding(
    _ step: PayloadStep, _ payload: Span<UInt8>, _ origin: Origin, _ buffer: EventBuffer
  ) throws(StepFailure) -> [DeliveredPayload] {
    let other = buffer.another()
    other.past = buffer.past
    other.withholds = true
    do throws(StepFailure) { try step.open(payload, origin, other) } catch {
      switch error {
      case .keysUnavailable: throw error
      case .groupUnreadable(_, let cause) where !Self.refusals.contains(cause.code): throw error
      default: return []
      }
    }
    return other.delivered(after: 0, forms) ?? []
  }
}

/// A delivered event as its record encodes it.
struct DeliveredPayload {
  let caseIndex: Int
  let path: [UInt32]
  let bytes: [UInt8]

  /// Whether the other event is of the same record and part.
  func isAlike(_ other: DeliveredPayload) -> Bool { caseIndex == other.caseIndex && path == other.path }
}
