package import AnnalsCoding

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

  private struct Known: Sendable {
    let id: Position
    let name: StreamName
  }

  /// The places of names: none at first, then a power of two.
  private var places: [Known?] = []
  private var count = 0

  /// The name of the stream whose first entry is at `id`.
  package mutating func name(of id: Position, _ reader: StoreReader) throws(AnnalsError) -> StreamName {
    if !places.isEmpty, let known = places[place(of: id)], known.id == id { return known.name }
    let name = try reader.name(of: id)
    if 2 * count >= places.count, places.count < limit { grow() }
    keep(Known(id: id, name: name))
    return name
  }

  private mutating func grow() {
    let kept = places
    places = Array(repeating: nil, count: max(2 * kept.count, 16))
    count = 0
    for case .some(let known) in kept { keep(known) }
  }

  private mutating func keep(_ known: Known) {
    let place = place(of: known.id)
    if places[place] == nil { count += 1 }
    places[place] = known
  }

  /// Where a name is, if it is kept; there are places.
  private func place(of id: Position) -> Int {
    // Multiplicative hashing (Knuth, TAOCP volume 3, 6.4) by 2^64 divided by the golden ratio: the upper bits
    // are the best.
    let bits = places.count.trailingZeroBitCount
    return Int(truncatingIfNeeded: (id.rawValue &* 0x9e37_79b9_7f4a_7c15) >> UInt64(64 - bits))
  }
}
