package import AnnalsCoding
package import AnnalsShapes

/// The steps for a record of one type and version, up to its delivery as an event of the newest version.
public struct RecordStep<R: Record>: Sendable {
  /// Processes the record with its entry's origin, and adds the resulting events to the buffer.
  public let run: @Sendable (consuming R, Origin, EventBuffer) throws(StepFailure) -> Void

  /// Creates the step that calls `run`.
  @inlinable public init(
    _ run: @escaping @Sendable (consuming R, Origin, EventBuffer) throws(StepFailure) -> Void
  ) {
    self.run = run
  }
}

/// The steps for a payload of one type and version, up to its delivery.
///
/// A struct, because closures stored directly in arrays and optionals are called through thunks.
@usableFromInline package struct PayloadStep: Sendable {
  /// The conversion of the names of fields, before anything else.
  private enum Naming: Sendable {
    case nothing
    /// Converts a payload by name to one by shape.
    case read(NamedForm)
    /// Converts a payload by shape to one by name.
    case write(NamedForm)
  }
  private var naming = Naming.nothing
  /// The conversion of the payload to the type that is decoded.
  private(set) var conversion = Conversion.same
  /// The decryption of personal fields, before anything else; `nil` if there is nothing to decrypt.
  private var unsealing: Unsealing?
  /// What replaces values of forgotten people's fields that events must not have; `nil` if there can be none.
  private var forgotten: ForgottenFields?
  /// Returns the step for opened payloads in which these fields have replacements of the record's type.
  private var retyped: (@Sendable ([Int]) -> PayloadStep?)?
  /// Whether the payload is decoded without conversion.
  @usableFromInline private(set) var isDirect = true
  /// The conversion, if there is nothing else to do before decoding: most often a stage adds, removes or
  /// renames fields.
  private var spliced: SplicedProgram?
  /// Whether there is nothing to do before ``spliced`` either.
  private var isSpliced = false
  /// The rule that keeps the payload as it is stored; `nil` if none does.
  private(set) var retention: RuleSite?
  /// The fold that takes the payload; `nil` if none does.
  private var fold: FoldSite?
  /// Decodes a payload of the step's type and version, and discards the result.
  private var own: (@Sendable (Span<UInt8>) throws(CodingFailure) -> Void)?
  /// Decodes a payload of a type that is stored by name, and encodes it again; `nil` for a type that keeps
  /// all of a payload, and for one with a shape.
  private var recoded: (@Sendable (Span<UInt8>, inout [UInt8]) throws(CodingFailure) -> Void)?
  /// Decodes a payload and continues with the next step.
  @usableFromInline let decoded: @Sendable (Span<UInt8>, Origin, EventBuffer) throws(StepFailure) -> Void

  @usableFromInline init(
    _ decoded: @escaping @Sendable (Span<UInt8>, Origin, EventBuffer) throws(StepFailure) -> Void
  ) {
    self.decoded = decoded
  }

  /// Returns this step after a conversion.
  func preceded(by conversion: Conversion) -> PayloadStep {
    var step = self
    step.conversion = conversion.followed(by: self.conversion)
    step.settle()
    return step
  }

  /// Chooses the shortest way to the decoded record.
  private mutating func settle() {
    var isPlain = fold == nil && retention == nil
    if case .nothing = naming {} else { isPlain = false }
    isDirect = isPlain && unsealing == nil && forgotten == nil && conversion.isSame
    spliced = isPlain ? conversion.spliced : nil
    isSpliced = spliced != nil && unsealing == nil
  }

  /// Returns this step for payloads with encrypted fields, and for events with them.
  ///
  /// - Parameter retyped: Returns the step for opened payloads in which these fields have replacements of the
  ///   record's type.
  func after(
    _ unsealing: Unsealing?, _ forgotten: ForgottenFields?,
    retyped: @escaping @Sendable ([Int]) -> PayloadStep?
  ) -> PayloadStep {
    var step = self
    step.unsealing = unsealing
    step.forgotten = forgotten
    step.retyped = retyped
    step.settle()
    return step
  }

  /// Returns this step for records of type `R`.
  func taking<R: Record>(_ type: R.Type) -> PayloadStep {
    var step = self
    step.own = { (payload) throws(CodingFailure) in _ = try R.decode(payload: payload) }
    if R.recordShape == nil, !(R.self is any TreeRecord.Type) {
      step.recoded = { (payload, output) throws(CodingFailure) in
        try R.decode(payload: payload).encode(into: &output)
      }
    }
    return step
  }

  /// Returns this step for records that a fold takes: payloads that do not end a group are not decoded.
  func taken(by fold: FoldSite) -> PayloadStep {
    var step = self
    step.fold = fold
    step.settle()
    return step
  }

  /// Returns this step for records that stay as they are stored: nothing is decoded or delivered.
  func retained(at site: RuleSite) -> PayloadStep {
    var step = self
    step.retention = site
    step.settle()
    return step
  }

  /// Throws for a payload that is not of the step's type and version; nothing is upcast.
  package func check(_ payload: Span<UInt8>) throws(CodingFailure) {
    guard unsealing == nil else {
      let plain = try unsealed(payload)
      return try check(plain: plain.span)
    }
    try check(plain: payload)
  }

  private func check(plain payload: Span<UInt8>) throws(CodingFailure) {
    var bytes: [UInt8] = []
    switch naming {
    case .nothing: bytes = payload.copied
    case .read(let names): try names.read(payload, to: &bytes)
    case .write(let names): try names.write(payload, to: &bytes)
    }
    try own?(bytes.span)
  }

  private func unsealed(_ payload: Span<UInt8>) throws(CodingFailure) -> [UInt8] {
    var plain: [UInt8] = []
    var subjects = OpenedSubjects()
    do throws(StepFailure) { _ = try unsealing?.open(payload, to: &plain, &subjects) } catch {
      if case .undecodable(let failure) = error { throw failure }
      throw CodingFailure(.refused, at: 0, detail: "a personal field cannot be decrypted")
    }
    return plain
  }

  /// Whether a payload can have fields that are skipped when it is read.
  package var mayPassOverFields: Bool {
    if retention != nil { return false }
    if case .read = naming { return true }
    return recoded != nil
  }

  /// Returns the paths of the fields of `payload` that are skipped when it is read, once for each place.
  ///
  /// - Parameter payload: A payload that ``check(_:)`` accepts.
  /// - Throws: ``CodingFailure`` if it does not.
  package func undeclared(in payload: Span<UInt8>) throws(CodingFailure) -> [[ExactText]] {
    try losses(in: payload, nil).values.map(\.path)
  }

  /// Returns the values of `payload` that a rewrite loses: the fields that are skipped when it is read, and
  /// those in `removals`.
  ///
  /// For a type that is stored by name, the known fields are those that it encodes again after decoding. If
  /// it cannot be encoded, the known fields are undetermined and none is reported.
  ///
  /// - Parameters:
  ///   - payload: A payload that ``check(_:)`` accepts.
  ///   - removals: The declared fields that the plan removes.
  /// - Throws: ``CodingFailure`` if it does not.
  package func losses(
    in payload: Span<UInt8>, _ removals: FieldRemovals?
  ) throws(CodingFailure) -> PayloadLosses {
    var losses = PayloadLosses()
    switch naming {
    case .read(let names):
      losses.named = payload.copied
      losses.values = try names.losses(in: payload, removals)
      return losses
    case .write(let names):
      let plain = unsealing == nil ? payload.copied : try unsealed(payload)
      try names.write(plain.span, to: &losses.named)
    case .nothing:
      if let removals {
        return try removals.losses(in: payload) { () throws(CodingFailure) in try unsealing?.opened(payload) }
      }
      losses.named = payload.copied
    }
    guard let recoded else { return losses }
    var written: [UInt8] = []
    do throws(CodingFailure) { try recoded(losses.named.span, &written) } catch { return losses }
    let missing = try KeyPaths(of: losses.named.span).missing(from: KeyPaths(of: written.span))
    if !missing.isEmpty { losses.values = try KeyedValues.of(missing, in: losses.named.span) }
    return try unsealing?.stored(losses, of: payload) ?? losses
  }

  /// Returns this step for payloads by name, of a type that is stored by shape.
  func reading(by names: NamedForm) -> PayloadStep {
    var step = self
    step.naming = .read(names)
    step.settle()
    return step
  }

  /// Returns this step for payloads by shape, of a type that is stored by name.
  func naming(by names: NamedForm) -> PayloadStep {
    var step = self
    step.naming = .write(names)
    step.settle()
    return step
  }

  /// Runs the step with a payload of its type and version.
  @inlinable
  @inline(__always)
  package func run(_ payload: Span<UInt8>, _ origin: Origin, _ buffer: EventBuffer) throws(StepFailure) {
    if isDirect { return try decoded(payload, origin, buffer) }
    try convert(payload, origin, buffer)
  }

  /// Runs the step with a payload that is not decoded as it is.
  @usableFromInline
  func convert(_ payload: Span<UInt8>, _ origin: Origin, _ buffer: EventBuffer) throws(StepFailure) {
    guard let forgotten else { return try open(payload, origin, buffer) }
    try forgotten.settle(self, payload, origin, buffer)
  }

  /// Runs the step with a payload as it is stored.
  func open(_ payload: Span<UInt8>, _ origin: Origin, _ buffer: EventBuffer) throws(StepFailure) {
    if isSpliced, let spliced { return try decode(payload, through: spliced, origin, buffer) }
    guard let unsealing, retention == nil else { return try convert(plain: payload, origin, buffer) }
    var room = buffer.borrowScratch()
    defer { buffer.giveBack(&room) }
    var opened = OpenedSubjects(isAsked: buffer.notesSubjects)
    let fields = try unsealing.open(payload, to: &room, &opened, withholds: buffer.withholds)
    if !opened.living.isEmpty { buffer.openedSubjects.add(opened) }
    guard !fields.isEmpty, let step = retyped?(fields) else {
      return try convert(plain: room.span, origin, buffer)
    }
    try step.convert(plain: room.span, origin, buffer)
  }

  private func convert(
    plain payload: Span<UInt8>, _ origin: Origin, _ buffer: EventBuffer
  ) throws(StepFailure) {
    if let spliced { return try decode(payload, through: spliced, origin, buffer) }
    if retention != nil { return }
    if let fold, try !fold.endsGroup(origin, buffer) { return }
    var room = buffer.borrowScratch()
    defer { buffer.giveBack(&room) }
    do throws(CodingFailure) {
      switch naming {
      case .nothing: try conversion.apply(payload, to: &room)
      case .read(let names): try names.read(payload, to: &room)
      case .write(let names): try names.write(payload, to: &room)
      }
    } catch {
      throw .undecodable(error)
    }
    guard case .read = naming, !conversion.isSame else { return try decoded(room.span, origin, buffer) }
    var second = buffer.borrowScratch()
    defer { buffer.giveBack(&second) }
    do throws(CodingFailure) { try conversion.apply(room.span, to: &second) } catch {
      throw .undecodable(error)
    }
    try decoded(second.span, origin, buffer)
  }

  private func decode(
    _ payload: Span<UInt8>, through program: SplicedProgram, _ origin: Origin, _ buffer: EventBuffer
  ) throws(StepFailure) {
    var failure: StepFailure?
    do throws(CodingFailure) {
      try program.lend(payload) { payload in
        do throws(StepFailure) { try decoded(payload, origin, buffer) } catch { failure = error }
      }
    } catch {
      throw .undecodable(error)
    }
    if let failure { throw failure }
  }
}
