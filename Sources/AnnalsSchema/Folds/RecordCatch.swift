public import AnnalsCoding

/// A buffer that catches the record of an event.
@usableFromInline final class RecordCatch<R: Record>: EventBuffer {
  /// The record that was caught last, until it is taken.
  @usableFromInline var record: R?

  @inlinable override init() {
    super.init()
  }
}

/// The steps that catch the records of an event.
@usableFromInline struct CatchSteps<Event: SchemaEvent>: Sendable {
  /// The steps, or the error of a manually written event.
  @usableFromInline let steps: Result<Event.Steps, AnnalsError>

  @inlinable init() {
    var source = CatchSource<Event>()
    do throws(AnnalsError) { steps = .success(try Event.steps(from: &source)) } catch {
      steps = .failure(error)
    }
  }

  /// Makes a closure that takes the record of type `R` out of an event that has one. It is for one reader,
  /// because it keeps the buffer that catches the record.
  @inlinable func taking<R: Record>(_ type: R.Type) -> (Event, Origin) throws -> R {
    let caught = RecordCatch<R>()
    return { event, origin in
      try event.send(through: steps.get(), origin, into: caught)
      guard let record = caught.record.take() else { throw RecordMissed() }
      return record
    }
  }
}

/// The error for a manually written event that passed a record other than that of its case to a step.
@usableFromInline struct RecordMissed: Error {
  @usableFromInline init() {}
}

/// Makes steps that catch records.
@usableFromInline struct CatchSource<Event: SchemaEvent>: StepSource {
  @inlinable init() {}

  @inlinable mutating func step<R: Record>(
    for recordCase: RecordCase<Event, R>
  ) throws(AnnalsError) -> RecordStep<R> {
    recordCase.catching
  }
}
