public import AnnalsCoding

/// The key path by which a rule names a record of schema `Schema`: `\.orderPlaced`.
public typealias RecordPath<Schema: VersionedSchema, R: Record> =
  KeyPath<Schema.Event.Cases, RecordCase<Schema.Event, R>>

/// One case of a schema's event, and how its record becomes that event.
///
/// Its closures are made where the types are known, so that they are specialised there.
public struct RecordCase<Event: SchemaEvent, R: Record>: Sendable {
  /// The number of the case, counted from 0.
  public let index: Int
  /// The step of this case among all steps of its event.
  @usableFromInline let step: @Sendable (Event.Steps) -> RecordStep<R>
  /// The step of the newest version: the record is delivered as the event that it is.
  @usableFromInline let delivery: RecordStep<R>
  /// The step from stored bytes, given the step of the decoded record.
  @usableFromInline let decoding: @Sendable (RecordStep<R>) -> PayloadStep

  /// The case numbered `index`, whose step is found by `step` and whose event is made by `event`.
  @inlinable public init(
    _ index: Int, step: @escaping @Sendable (Event.Steps) -> RecordStep<R>,
    event: @escaping @Sendable (consuming R) -> Event
  ) {
    self.index = index
    self.step = step
    self.delivery = RecordStep { (record: consuming R, origin, sink) in sink.deliver(event(record), origin) }
    self.decoding = { payloadStep($0) }
  }
}

extension RecordCase {
  /// The step that `source` gives for this case.
  ///
  /// - Throws: What `source` throws.
  public func step(from source: inout some StepSource<Event>) throws(AnnalsError) -> RecordStep<R> {
    try source.step(for: self)
  }
}

/// A case of which only the number matters.
public protocol NumberedCase {
  /// The number of the case, counted from 0.
  var index: Int { get }
}

extension RecordCase: NumberedCase {}
