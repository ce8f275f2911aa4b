/// The heads that one merge writes, as they were when the tail was frozen; what is written is the newest head each has by then.
struct FrozenHeads: Sendable {
  /// A head: the key of its row and the slot that has it.
  struct Place: Sendable {
    var id: UInt64
    var slot: Int
  }

  /// How often the table had forgotten everything when the tail was frozen.
  var resets: Int
  /// Up to where the rows suffice when all of these are written.
  var position: UInt64
  /// How many entries were frozen.
  var length: UInt64
  /// The heads; after ``sort()`` in the order of their rows.
  var heads: [Place]
  /// Where the streams begin that have no row in `streams` yet.
  var births: [UInt64]

  /// The bytes of memory that the lists take.
  var bytes: Int { heads.count * MemoryLayout<Place>.stride + births.count * 8 }

  /// Brings the heads into the order of their rows, so that the merge goes through each page once.
  mutating func sort() {
    heads.sort { $0.id < $1.id }
  }
}
