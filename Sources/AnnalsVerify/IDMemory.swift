package import AnnalsCoding

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The positions of entries by event id and stream, for the streams that an import has to search.
///
/// It holds a hash for each id, so every position that it gives is a candidate to be compared with the
/// entry itself. A slot has 16 bytes, and at most three of four slots are used.
package struct IDMemory {
  /// The maximum number of ids that an import keeps by default: 1 GiB of slots, and half as much again while
  /// they become more.
  package static let limit = 50_000_000

  private struct Slot {
    var hash: UInt64 = 0
    /// The entry's position; 0 for a free slot.
    var position: UInt64 = 0
  }

  /// The number of ids.
  package private(set) var count = 0
  private let limit: Int
  private var slots: [Slot] = []

  /// A memory of at most `limit` ids.
  package init(limit: Int = Self.limit) {
    self.limit = limit
  }

  /// The same without any id.
  package func emptied() -> IDMemory { IDMemory(limit: limit) }

  /// Adds the id of an entry.
  ///
  /// - Returns: `false` if the limit is reached; nothing is added then.
  package mutating func add(_ id: UUID, of stream: Position, at position: Position) -> Bool {
    guard count < limit else { return false }
    if (count + 1) * 4 > slots.count * 3 { grow() }
    Self.put(Slot(hash: Self.hash(id, stream), position: position.rawValue), into: &slots)
    count += 1
    return true
  }

  /// The positions at which an entry of the stream may have the id.
  package func candidates(for id: UUID, of stream: Position) -> [Position] {
    guard !slots.isEmpty else { return [] }
    let hash = Self.hash(id, stream)
    var found: [Position] = []
    var index = Self.start(hash, slots.count)
    while slots[index].position != 0 {
      if slots[index].hash == hash { found.append(Position(slots[index].position)) }
      index = (index + 1) & (slots.count - 1)
    }
    return found
  }

  private mutating func grow() {
    var larger = [Slot](repeating: Slot(), count: max(slots.count * 2, 1_024))
    for slot in slots where slot.position != 0 { Self.put(slot, into: &larger) }
    slots = larger
  }

  private static func put(_ slot: Slot, into slots: inout [Slot]) {
    var index = start(slot.hash, slots.count)
    while slots[index].position != 0 { index = (index + 1) & (slots.count - 1) }
    slots[index] = slot
  }

  private static func start(_ hash: UInt64, _ count: Int) -> Int {
    Int(truncatingIfNeeded: hash) & (count - 1)
  }

  private static func hash(_ id: UUID, _ stream: Position) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(stream.rawValue)
    hasher.combine(id)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
