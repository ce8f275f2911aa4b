public import AnnalsCoding

/// The key path by which a rule names a record of schema `Schema`: `\.orderPlaced`.
public typealias RecordPath<Schema: VersionedSchema, R: Record> =
  KeyPath<Schema.Event.Cases, RecordCase<Schema.Event, R>>

/// One case of a schema's event, with the conversion of its record into that event.
///
/// The closures are made where the types are known, so that the compiler specialises them.
public struct RecordCase<Event: SchemaEvent, R: Record>: Sendable {
  /// The number of the case, counted from 0.
  public let index: Int
  /// Returns the step of this case from all steps of its event.
  @usableFromInline let step: @Sendable (Event.Steps) -> RecordStep<R>
  /// The step of the newest version, which delivers the record as its event.
  @usableFromInline let delivery: RecordStep<R>
  /// Makes the step of the newest version from stored bytes: decodes a record and delivers it as its event.
  @usableFromInline let arrival: @Sendable () -> PayloadStep
  /// Makes the step from stored bytes from the step of the decoded record.
  @usableFromInline let decoding: @Sendable (RecordStep<R>) -> PayloadStep
  /// The step that leaves the record in a ``RecordCatch``.
  @usableFromInline let catching: RecordStep<R>

  /// Creates the case numbered `index`; `step` finds its step and `event` makes its event.
  @inlinable public init(
    _ index: Int, step: @escaping @Sendable (Event.Steps) -> RecordStep<R>,
    event: @escaping @Sendable (consuming R) -> Event
  ) {
    self.index = index
    self.step = step
    self.delivery = RecordStep { (record: consuming R, origin, buffer) in
      buffer.deliver(event(record), origin)
    }
    // One closure from the bytes to the delivered event: a record that passes from one to the next is copied.
    self.arrival = {
      PayloadStep { (payload, origin, buffer) throws(StepFailure) in
        do throws(CodingFailure) { buffer.deliver(event(try R.decode(payload: payload)), origin) } catch {
          throw .undecodable(error)
        }
      }
    }
    self.decoding = { payloadStep($0) }
    self.catching = RecordStep { (record: consuming R, _, buffer) in
      if let caught = buffer as? RecordCatch<R> { caught.record = record }
    }
  }
}

extension RecordCase {
  /// Returns the step that `source` has for this case.
  ///
  /// - Throws: Any error that `source` throws.
  public func step(from source: inout some StepSource<Event>) throws(AnnalsError) -> RecordStep<R> {
    try source.step(for: self)
  }
}

/// Makes the step from bytes, once for each record type, regardless of how many versions use the type.
@inlinable @inline(never) func payloadStep<R: Record>(_ step: RecordStep<R>) -> PayloadStep {
  PayloadStep { (payload, origin, buffer) throws(StepFailure) in
    let record: R
    do throws(CodingFailure) { record = try R.decode(payload: payload) } catch { throw .undecodable(error) }
    try step.run(consume record, origin, buffer)
  }
}

/// A case without its types: only its number.
public protocol NumberedCase {
  /// The number of the case, counted from 0.
  var index: Int { get }
}

extension RecordCase: NumberedCase {}
