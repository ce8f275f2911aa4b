public import AnnalsCoding

/// A source of the steps of an event's cases.
public protocol StepSource<Event> {
  /// The event whose cases need steps.
  associatedtype Event: SchemaEvent

  /// Returns the step of one case; called for the cases in order, once each.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidPlan` if the case is not the one in ``SchemaEvent/records``.
  mutating func step<R: Record>(for recordCase: RecordCase<Event, R>) throws(AnnalsError) -> RecordStep<R>
}
