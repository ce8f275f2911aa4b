internal import AnnalsCoding
package import AnnalsStore

/// What has become of the entries of a run, and of their events, for a report.
package struct RunChanges: Sendable {
  /// Why events of one type are gone.
  struct Drop: Hashable, Sendable {
    /// The type that they were stored as.
    let type: String
    /// The reason that the rule states.
    let reason: String
  }

  /// The number of entries that were upcast and encoded again.
  var rewritten: UInt64 = 0
  /// How many of them have become parts.
  var split: UInt64 = 0
  /// The number of events that have gone into a later one.
  var folded: UInt64 = 0
  /// The number of events that have become none, also of entries of which other parts are left.
  var drops: [Drop: UInt64] = [:]
  /// The number of entries whose tags have changed.
  package var retagged: UInt64 = 0
  /// The fields that they have lost.
  package var removed = FieldTally()

  /// Counts an entry that has given one event or, where it was split, any number of them.
  @inline(__always)
  mutating func add(isSplit: Bool) {
    rewritten += 1
    if isSplit { split += 1 }
  }

  /// Counts an entry that has given nothing.
  mutating func addStub() { rewritten += 1 }

  /// Counts an event that has become none.
  ///
  /// - Parameter isFolded: Whether it has gone into a later one.
  mutating func add(_ drop: Drop, isFolded: Bool) {
    if isFolded { folded += 1 }
    drops[drop, default: 0] += 1
  }

  /// Adds what has become of others.
  mutating func add(_ other: RunChanges) {
    rewritten += other.rewritten
    split += other.split
    folded += other.folded
    retagged += other.retagged
    for (drop, count) in other.drops { drops[drop, default: 0] += count }
    removed.add(other.removed)
  }

  /// Forgets everything.
  mutating func clear() {
    rewritten = 0
    split = 0
    folded = 0
    retagged = 0
    if !drops.isEmpty { drops.removeAll(keepingCapacity: true) }
    removed.clear()
  }
}
