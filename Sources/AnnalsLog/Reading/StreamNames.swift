package import AnnalsCoding
package import AnnalsFormat
internal import LMDB

/// A cache of stream names, so that the next entry of the same stream need not read its first one.
///
/// Each id has two places next to each other, and a new id takes the place of the older one of them. So it
/// never exceeds its limit, and frequent names are usually cached.
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

  /// A name that is kept.
  private struct Slot {
    /// The id of the stream; 0 where no name is kept.
    var id: UInt64 = 0
    var name = StreamName("")
  }

  /// The names, by place. Either none, or a power of two.
  private var slots: [Slot] = []
  private var count = 0

  /// The name of the stream whose first entry is at `id`.
  package mutating func name(of id: Position, _ reader: StoreReader) throws(AnnalsError) -> StreamName {
    if let place = kept(id.rawValue) { return slots[place].name }
    return add(try reader.name(of: id), of: id)
  }

  /// The name of the stream that `entry` belongs to; the first entry of a stream has it.
  package mutating func name(
    of entry: borrowing LentEntry, _ reader: StoreReader
  ) throws(AnnalsError) -> StreamName {
    guard entry.header.flags.contains(.first) else { return try name(of: entry.stream, reader) }
    return add(try reader.name(in: entry.bytes, entry.header, at: entry.position), of: entry.position)
  }

  /// Reads names that are not kept, so that they are there when they are asked for. The memory of all of them
  /// is fetched at the same time.
  ///
  /// - Parameter streams: The ids of streams, which may come several times.
  mutating func fetch(_ streams: [UInt64], _ reader: StoreReader) throws(AnnalsError) {
    var missing: [UInt64] = []
    for id in streams.sorted() where id != missing.last && !isKept(id) { missing.append(id) }
    // A single one is read when it is asked for.
    guard missing.count > 1 else { return }
    var values = ValueWindow(reader.tables.entries, in: reader.view)
    values.reserveCapacity(missing.count)
    makeRoom(for: missing.count)
    let end: Int
    do { end = try values.append(valuesForKeys: missing, from: 0) } catch { throw AnnalsError(error) }
    for index in 0..<end {
      let (bytes, id) = (values[index], Position(missing[index]))
      let name: StreamName
      do {
        name = try reader.name(in: bytes, reader.header(bytes, at: id), at: id)
      } catch {
        // The same error is thrown where the name is asked for, and perhaps nobody does.
        continue
      }
      _ = add(name, of: id)
    }
  }

  /// Begins to load the memory where the name of a stream may be.
  @inline(__always)
  package func prefetch(_ id: Position) {
    if slots.isEmpty { return }
    slots.span.prefetch(place(of: id.rawValue))
  }

  private func isKept(_ id: UInt64) -> Bool { kept(id) != nil }

  /// Where the name of a stream is; `nil` if it is not kept.
  @inline(__always)
  private func kept(_ id: UInt64) -> Int? {
    if slots.isEmpty { return nil }
    let place = place(of: id)
    if slots[place].id == id { return place }
    return slots[place + 1].id == id ? place + 1 : nil
  }

  private mutating func add(_ name: StreamName, of id: Position) -> StreamName {
    makeRoom(for: 1)
    keep(name, of: id.rawValue)
    return name
  }

  /// Makes places for more names, as far as the limit allows.
  private mutating func makeRoom(for more: Int) {
    let wanted = min(2 * (count + more), limit)
    guard wanted > slots.count else { return }
    var size = max(slots.count, 16)
    while size < wanted { size *= 2 }
    let old = slots
    slots = Array(repeating: Slot(), count: size)
    count = 0
    for slot in old where slot.id > 0 { keep(slot.name, of: slot.id) }
  }

  private mutating func keep(_ name: StreamName, of id: UInt64) {
    let place = place(of: id)
    if slots[place].id == id {
      slots[place].name = name
      return
    }
    // The older name of the pair makes room.
    if slots[place + 1].id == 0, slots[place].id > 0 { count += 1 }
    if slots[place].id == 0 { count += 1 }
    if slots[place].id > 0 { slots[place + 1] = slots[place] }
    slots[place] = Slot(id: id, name: name)
  }

  /// The first of the two places where a name may be, if it is kept; there are places.
  private func place(of id: UInt64) -> Int {
    // Multiplicative hashing (Knuth, TAOCP volume 3, 6.4) by 2^64 divided by the golden ratio: the upper bits
    // are the best.
    let bits = slots.count.trailingZeroBitCount
    return Int(truncatingIfNeeded: (id &* 0x9e37_79b9_7f4a_7c15) >> UInt64(64 - bits)) & ~1
  }
}
