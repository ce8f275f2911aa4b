public import AnnalsCoding
internal import AnnalsLog
public import AnnalsSchema

/// The events of a store or of one stream in one snapshot, in order, each in the plan's current version.
public struct StoreEntries<Event: SchemaEvent>: ~Copyable, ~Escapable {
  private var cursor: EntryCursor
  private let upcaster: Upcaster
  @usableFromInline let backwards: Bool
  @usableFromInline var remaining: Int
  /// The events that the last stored entry has become and that are not delivered yet.
  @usableFromInline let delivery = TypedEventBuffer<Event>()

  @_lifetime(copy cursor)
  init(_ cursor: consuming EntryCursor, _ upcaster: Upcaster, backwards: Bool, limit: Int) {
    self.cursor = cursor
    self.upcaster = upcaster
    self.backwards = backwards
    remaining = limit
  }

  /// Returns the next event; `nil` at the end or the limit. Entries that a rule drops are skipped.
  ///
  /// - Throws: ``AnnalsError`` with code `ruleFailed` or `malformed` (position, type, version, step and
  ///   cause), `noPath` or `newerSchema` for entries that another program has stored since the open,
  ///   `damaged`, `formatVersion`, `needsNewer` or `inputOutput`.
  @inlinable
  public mutating func next() throws(AnnalsError) -> Entry<Event>? {
    guard remaining > 0 else { return nil }
    while true {
      if let entry = delivery.take(backwards: backwards) {
        remaining &-= 1
        return entry
      }
      guard try advance() else { return nil }
    }
  }

  /// Upcasts the next stored entry.
  ///
  /// - Returns: Whether there was one.
  @usableFromInline
  mutating func advance() throws(AnnalsError) -> Bool {
    // All elements were taken.
    delivery.count = 0
    guard let entry = try cursor.next() else { return false }
    let stream = try cursor.name(of: entry)
    guard cursor.steps.includes(stream) else { return true }
    // An entry that fails half-way delivers nothing.
    try upcaster.upcast(entry, of: stream, into: delivery)
    return true
  }
}
