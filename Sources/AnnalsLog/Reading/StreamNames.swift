package import AnnalsCoding
internal import AnnalsFormat

/// A cache of stream names, so that the next entry of the same stream need not read its first one.
///
/// Each id has one place, which the next id with the same place takes over. So it never exceeds its limit,
/// and frequent names are usually cached.
package struct StreamNames: Sendable {
  /// The maximum number of names that are kept: 4,096 are 2 MB at their longest.
  let limit: Int

  /// No names yet.
  ///
  /// - Parameter limit: The most that are kept, a power of two.
  package init(limit: Int = 4_096) {
    self.limit = limit
  }

  /// The number of the generation that the names are of; `nil` if nobody has said it.
  private var generation: UInt64?

  /// Removes names of another generation: a migration pass may have renamed streams.
  ///
  /// - Returns: Whether another one was used before.
  @discardableResult
  mutating func enter(generation number: UInt64) -> Bool {
    guard let known = generation else {
      generation = number
      return false
    }
    guard known != number else { return false }
    self = StreamNames(limit: limit)
    generation = number
    return true
  }

  /// The ids of the streams whose names are kept, by place; 0 where none is. Either none, or a power of two.
  private var ids: [UInt64] = []
  /// The names of these streams, by place.
  private var names: [StreamName] = []
  private var count = 0

  /// The name of the stream whose first entry is at `id`.
  package mutating func name(of id: Position, _ reader: StoreReader) throws(AnnalsError) -> StreamName {
    if !ids.isEmpty {
      let place = place(of: id.rawValue)
      if ids[place] == id.rawValue { return names[place] }
    }
    return add(try reader.name(of: id), of: id)
  }

  /// The name of the stream that `entry` belongs to; the first entry of a stream has it.
  package mutating func name(
    of entry: borrowing LentEntry, _ reader: StoreReader
  ) throws(AnnalsError) -> StreamName {
    guard entry.header.flags.contains(.first) else { return try name(of: entry.stream, reader) }
    return add(try reader.name(in: entry.bytes, entry.header, at: entry.position), of: entry.position)
  }

  private mutating func add(_ name: StreamName, of id: Position) -> StreamName {
    if 2 * count >= ids.count, ids.count < limit { grow() }
    keep(name, of: id.rawValue)
    return name
  }

  private mutating func grow() {
    let (oldIDs, oldNames) = (ids, names)
    ids = Array(repeating: 0, count: max(2 * oldIDs.count, 16))
    names = Array(repeating: StreamName(""), count: ids.count)
    count = 0
    for (id, name) in zip(oldIDs, oldNames) where id > 0 { keep(name, of: id) }
  }

  private mutating func keep(_ name: StreamName, of id: UInt64) {
    let place = place(of: id)
    if ids[place] == 0 { count += 1 }
    ids[place] = id
    names[place] = name
  }

  /// Where a name is, if it is kept; there are places.
  private func place(of id: UInt64) -> Int {
    // Multiplicative hashing (Knuth, TAOCP volume 3, 6.4) by 2^64 divided by the golden ratio: the upper bits
    // are the best.
    let bits = ids.count.trailingZeroBitCount
    return Int(truncatingIfNeeded: (id &* 0x9e37_79b9_7f4a_7c15) >> UInt64(64 - bits))
  }
}
