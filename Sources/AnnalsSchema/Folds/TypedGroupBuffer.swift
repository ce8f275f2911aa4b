internal import AnnalsCoding

/// A buffer for the records of a group, with any event type.
@usableFromInline package class GroupBuffer: EventBuffer {
  /// The cases that the fold takes.
  @usableFromInline package final let cases: FoldedCases
  /// The number of entries on the way of which nothing is left.
  package final var removed = 0

  /// Creates a buffer for the group of a fold that takes `cases`.
  @usableFromInline init(_ cases: FoldedCases) {
    self.cases = cases
    super.init()
  }

  /// Reverses the order of the events after the first `count`.
  func reverse(from count: Int) {}

  /// Returns the number of records from the last one of the group to the first one of which `isEnd` says that
  /// it ends another group.
  func count(_ isEnd: (Origin) throws(StepFailure) -> Bool) throws(StepFailure) -> Int { count }
}

/// A buffer for the records of one group, newest first; it ignores records of other groups.
@usableFromInline final class TypedGroupBuffer<Event: SchemaEvent>: GroupBuffer {
  /// The records, each with its entry's origin.
  @usableFromInline var events: [(event: Event, origin: Origin)] = []
  /// The last record of the group.
  @usableFromInline let last: Origin

  /// Creates a buffer for the group that ends with the record at `last`, which is delivered first.
  @usableFromInline init(_ cases: FoldedCases, endingAt last: Origin) {
    self.last = last
    super.init(cases)
  }

  /// Adds a record if it belongs to the group.
  @inlinable func add(_ event: consuming Event, _ origin: Origin) {
    guard events.isEmpty || (cases.contains(event.caseIndex) && origin.stands(before: last)) else { return }
    events.append((event, origin))
    count &+= 1
  }

  override func reverse(from count: Int) {
    // The number that the buffer counts: most entries give one event, and here the type of a pair of an
    // event and an origin would have to be looked up.
    if self.count - count > 1 { events[count...].reverse() }
  }

  override func count(_ isEnd: (Origin) throws(StepFailure) -> Bool) throws(StepFailure) -> Int {
    var count = 1
    while count < events.count, try !isEnd(events[count].origin) { count += 1 }
    return count
  }

  @usableFromInline override func keep(first count: Int) {
    events.removeSubrange(count...)
    self.count = count
  }
}

extension Origin {
  /// Returns whether the record precedes another one of its stream.
  @usableFromInline func stands(before other: Origin) -> Bool {
    position == other.position ? path.lexicographicallyPrecedes(other.path) : position < other.position
  }
}
