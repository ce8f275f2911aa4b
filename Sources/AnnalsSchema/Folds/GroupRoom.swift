internal import AnnalsCoding

/// Where the records of a group are gathered, whatever events they are.
@usableFromInline package class GroupSink: Sink {
  /// What the fold takes.
  @usableFromInline package final let cases: FoldedCases

  /// Room for the group of a fold that takes `cases`.
  @usableFromInline init(_ cases: FoldedCases) {
    self.cases = cases
    super.init()
  }

  /// Turns the order of the events behind the first `count` around.
  func reverse(from count: Int) {}
}

/// Where the records of one group are gathered, newest first; those that are no part of it are left out.
@usableFromInline final class GroupRoom<Event: SchemaEvent>: GroupSink {
  /// The records, each with what is known of its entry.
  @usableFromInline var events: [(event: Event, origin: Origin)] = []
  /// The last record of the group.
  @usableFromInline let last: Origin

  /// Room for the group that ends with the record at `last`, which is delivered first.
  @usableFromInline init(_ cases: FoldedCases, endingAt last: Origin) {
    self.last = last
    super.init(cases)
  }

  /// Takes a record if it is one of the group's.
  @inlinable func add(_ event: consuming Event, _ origin: Origin) {
    guard events.isEmpty || (cases.contains(event.caseIndex) && origin.stands(before: last)) else { return }
    events.append((event, origin))
    count &+= 1
  }

  override func reverse(from count: Int) {
    if events.count - count > 1 { events[count...].reverse() }
  }

  @usableFromInline override func keep(first count: Int) {
    events.removeSubrange(count...)
    self.count = count
  }
}

extension Origin {
  /// Whether the record stands before another one of its stream.
  @usableFromInline func stands(before other: Origin) -> Bool {
    position == other.position ? path.lexicographicallyPrecedes(other.path) : position < other.position
  }
}
