/// What happens to a record of one type and version, up to its delivery as an event of the newest version.
public struct RecordStep<R: Record>: Sendable {
  /// Takes the record, what is known of its entry, and the place where its events go.
  public let run: @Sendable (consuming R, Origin, Sink) throws(StepFailure) -> Void

  /// The step that does `run`.
  @inlinable public init(_ run: @escaping @Sendable (consuming R, Origin, Sink) throws(StepFailure) -> Void) {
    self.run = run
  }
}

/// What happens to a stored payload of one type and version, up to its delivery.
///
/// A struct, because closures stored bare in arrays and optionals are called through thunks.
@usableFromInline struct PayloadStep: Sendable {
  let run: @Sendable (Span<UInt8>, Origin, Sink) throws(StepFailure) -> Void

  @usableFromInline init(_ run: @escaping @Sendable (Span<UInt8>, Origin, Sink) throws(StepFailure) -> Void) {
    self.run = run
  }
}

/// The step from bytes, made once for each record type, however many versions carry the type.
@inlinable @inline(never) func payloadStep<R: Record>(_ step: RecordStep<R>) -> PayloadStep {
  PayloadStep { (payload, origin, sink) throws(StepFailure) in
    let record: R
    do throws(CodingFailure) { record = try R.decode(payload: payload) } catch { throw .undecodable(error) }
    try step.run(consume record, origin, sink)
  }
}

/// Who makes the steps of an event's cases.
public protocol StepSource<Event> {
  /// The event whose cases are asked for.
  associatedtype Event: SchemaEvent

  /// The step of one case; the cases are asked for in order, once each.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidPlan` where the case is not the one in ``SchemaEvent/records``.
  mutating func step<R: Record>(for recordCase: RecordCase<Event, R>) throws(AnnalsError) -> RecordStep<R>
}
