/// The events of a store or of one stream in one snapshot, one after the other, each in the plan's current version.
public struct StoreEntries<Event: SchemaEvent>: ~Copyable, ~Escapable {
  private var cursor: EntryCursor
  private let lifting: EntryLifting
  private let backwards: Bool
  private var remaining: Int
  /// What the last stored entry has become, and how much of it was given.
  private let delivery = Delivery<Event>()
  private var given = 0

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
    while given == delivery.entries.count {
      given = 0
      delivery.clear()
      guard let entry = try cursor.next() else { return nil }
      try lifting.lift(entry, of: cursor.name(of: entry), into: delivery)
      if backwards { delivery.entries.reverse() }
    }
    remaining -= 1
    given += 1
    return delivery.entries[given - 1]
  }
}
