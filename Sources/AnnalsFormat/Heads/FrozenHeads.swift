/// The heads that one merge writes, from the time when the tail was frozen. The merge writes the newest head
/// that each stream has by then.
package struct FrozenHeads: Sendable {
  /// A head: the key of its row and the slot that has it.
  package struct Place: Sendable {
    package var id: UInt64
    package var slot: Int
  }

  /// The number of resets of the table when the tail was frozen.
  package var resets: Int
  /// The position up to which the rows are complete when all of these are written.
  package var position: UInt64
  /// The number of entries that were frozen.
  package var length: UInt64
  /// The heads; after ``sort()`` in the order of their rows.
  package var heads: [Place]
  /// The first positions of the streams that have no row in `streams` yet.
  package var births: [UInt64]

  /// The bytes of memory that the lists take.
  package var bytes: Int { heads.count * MemoryLayout<Place>.stride + births.count * 8 }

  /// Sorts the heads in the order of their rows, so that the merge passes each page once.
  package mutating func sort() {
    heads.sort { $0.id < $1.id }
  }
}
