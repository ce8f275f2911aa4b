internal import AnnalsCoding

/// A case of an event, with any record type, as a fold uses it.
@usableFromInline protocol EventCase<Event>: NumberedCase, Sendable {
  /// The event.
  associatedtype Event: SchemaEvent
  /// The name of the case's record.
  var recordName: String { get }
  /// Makes the step of the case's records in a fold: a ``FoldStep`` of their type.
  ///
  /// - Parameters:
  ///   - site: The fold.
  ///   - cases: All cases that the fold takes.
  ///   - finish: Delivers the result of a group.
  func step(
    of site: FoldSite, _ cases: FoldedCases,
    _ finish: @escaping @Sendable (TypedGroupBuffer<Event>, Origin, EventBuffer) throws(StepFailure) -> Void
  ) -> any Sendable
}

extension RecordCase: EventCase {
  @usableFromInline var recordName: String { R.recordName }

  @inlinable func step(
    of site: FoldSite, _ cases: FoldedCases,
    _ finish: @escaping @Sendable (TypedGroupBuffer<Event>, Origin, EventBuffer) throws(StepFailure) -> Void
  ) -> any Sendable {
    let delivery = delivery
    return FoldStep<R>(
      site,
      RecordStep { (record: consuming R, origin, buffer) throws(StepFailure) in
        guard try site.endsGroup(origin, buffer) else { return }
        let group = TypedGroupBuffer<Event>(cases, endingAt: origin)
        try delivery.run(record, origin, group)
        try site.gather(before: origin, buffer, into: group)
        try finish(group, origin, buffer)
      })
  }
}

/// The step for the records of one type in a fold.
@usableFromInline struct FoldStep<R: Record>: Sendable {
  /// Says of each record, before it is decoded, whether it is the last one of its group.
  let site: FoldSite
  /// Delivers the result of the group, from its last record.
  let step: RecordStep<R>

  @usableFromInline init(_ site: FoldSite, _ step: RecordStep<R>) {
    self.site = site
    self.step = step
  }
}
