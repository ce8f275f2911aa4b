/// The events of a store or of one stream in one snapshot, one after the other, each in the plan's current version.
public struct StoreEntries<Event: SchemaEvent>: ~Copyable, ~Escapable {
  private var cursor: EntryCursor
  private let lifting: EntryLifting
  private let backwards: Bool
  private var remaining: Int
  /// What the last stored entry has become and is not given yet. The next event is last, so that it is moved and not copied.
  private let delivery = Delivery<Event>()

  @_lifetime(copy cursor)
  init(_ cursor: consuming EntryCursor, _ lifting: EntryLifting, backwards: Bool, limit: Int) {
    self.cursor = cursor
    self.lifting = lifting
    self.backwards = backwards
    remaining = limit
  }

  /// The next event; `nil` at the end or the limit. Entries that a rule drops are passed over.
  ///
  /// - Throws: ``AnnalsError`` with code `ruleFailed` or `malformed` (position, type, version, step and cause), `noPath` or
  ///   `newerSchema` for what another program has stored since the open, `damaged`, `formatVersion`, `needsNewer` or `inputOutput`.
  public mutating func next() throws(AnnalsError) -> Entry<Event>? {
    guard remaining > 0 else { return nil }
    while delivery.entries.isEmpty {
      delivery.clear()
      guard let entry = try cursor.next() else { return nil }
      let stream = try cursor.name(of: entry)
      guard cursor.steps.includes(stream) else { continue }
      do throws(AnnalsError) {
        try lifting.lift(entry, of: stream, into: delivery)
      } catch {
        // Of an entry that failed half-way nothing is given.
        delivery.clear()
        throw error
      }
      if !backwards { delivery.entries.reverse() }
    }
    remaining -= 1
    return delivery.entries.popLast()
  }
}
