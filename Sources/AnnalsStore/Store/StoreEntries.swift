public import AnnalsCoding
internal import AnnalsLog
public import AnnalsSchema

/// The events of a store or of one stream in one snapshot, in order, each in the plan's current version.
///
/// Entries are upcast in batches: small ones at first, so that little is read in vain, then of up to 64
/// entries.
public struct StoreEntries<Event: SchemaEvent>: ~Copyable, ~Escapable {
  private var cursor: EntryCursor
  private let upcaster: Upcaster
  /// The query that events must match; `nil` for all.
  private let query: EventQuery<Event>?
  private let backwards: Bool
  @usableFromInline var remaining: Int
  /// The upcast events that are not delivered yet.
  @usableFromInline var ready: [Entry<Event>] = []
  private let buffer = TypedEventBuffer<Event>()
  /// The number of events to upcast next.
  private var share = 4
  /// The error that comes after the events that are ready.
  private var failure: AnnalsError?
  private var isAtEnd = false

  @_lifetime(copy cursor)
  init(
    _ cursor: consuming EntryCursor, _ upcaster: Upcaster, matching query: EventQuery<Event>? = nil,
    backwards: Bool, limit: Int
  ) {
    self.query = query
    self.cursor = cursor
    self.upcaster = upcaster
    self.backwards = backwards
    remaining = max(limit, 0)
  }

  /// Returns the next event; `nil` at the end, or once the limit is reached and all events of the entry are
  /// returned. Entries that a rule drops are skipped.
  ///
  /// - Throws: ``AnnalsError`` with code `ruleFailed` or `malformed` (position, type, version, step and
  ///   cause), `noPath` or `newerSchema` for entries that another program has stored since the open,
  ///   `damaged`, `formatVersion`, `needsNewer` or `inputOutput`.
  @inlinable
  public mutating func next() throws(AnnalsError) -> Entry<Event>? {
    while true {
      if let entry = ready.popLast() {
        remaining &-= 1
        return entry
      }
      guard remaining > 0, try upcastMore() else { return nil }
      // The next event is last, so that it is moved out and not copied.
      if ready.count > 1 { ready.reverse() }
    }
  }

  /// Calls `body` with each remaining event, up to the limit. This is the fastest way to read events.
  ///
  /// ```swift
  /// let repetitions = try store.read { snapshot throws(AnnalsError) in
  ///   var total = 0
  ///   try snapshot.entries(in: "workout-42").forEach { entry in
  ///     if case .setLogged(let set) = entry.event { total += set.reps }
  ///   }
  ///   return total
  /// }
  /// ```
  ///
  /// An event is lent to `body` and removed afterwards. Unless `body` keeps it, it is never copied.
  ///
  /// - Throws: Any error that `body` throws, and the errors of ``next()``. No event follows an error.
  @inlinable
  public consuming func forEach(
    _ body: (Entry<Event>) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    if ready.count > 1 { ready.reverse() }
    repeat {
      let lent = ready.span
      for index in lent.indices { try body(lent[index]) }
    } while try upcastMoreAfterAll()
  }

  /// Calls `body`, which may throw errors of its own, with each remaining event, up to the limit.
  @inlinable
  @_disfavoredOverload
  public consuming func forEach(_ body: (Entry<Event>) throws -> Void) throws {
    if ready.count > 1 { ready.reverse() }
    repeat {
      let lent = ready.span
      for index in lent.indices { try body(lent[index]) }
    } while try upcastMoreAfterAll()
  }

  /// Removes the events that are ready, and makes the next ones ready.
  ///
  /// - Returns: Whether others may follow.
  @inlinable
  mutating func upcastMoreAfterAll() throws(AnnalsError) -> Bool {
    remaining &-= min(ready.count, remaining)
    ready.removeAll(keepingCapacity: true)
    guard remaining > 0 else { return false }
    return try upcastMore()
  }

  /// Upcasts the next stored entries. No event is ready before.
  ///
  /// - Returns: Whether others may follow, or are ready.
  @usableFromInline
  mutating func upcastMore() throws(AnnalsError) -> Bool {
    if let error = failure {
      failure = nil
      throw error
    }
    if isAtEnd { return false }
    let limits = PageLimits(elements: min(share, remaining), bytes: 1 << 16)
    share = min(4 * share, 64)
    swap(&ready, &buffer.entries)
    let end = cursor.events(limits, through: upcaster, backwards: backwards, into: buffer)
    swap(&ready, &buffer.entries)
    buffer.count = 0
    if let query { ready.removeAll { !query.includes($0) } }
    failure = end.failure
    isAtEnd = end.isLast
    return true
  }
}
