/// How many delivered events a store has by version, and where its log ends.
struct OlderEvents {
  private var counts: [SchemaVersion: UInt64] = [:]
  /// How many have no version.
  private(set) var unversioned: UInt64 = 0
  /// The position of the newest entry; 0 in an empty log.
  let last: UInt64

  /// What a snapshot has; events without a version count as ones of `adopted`.
  init(_ snapshot: borrowing LogSnapshot, _ adopted: SchemaVersion?) throws(AnnalsError) {
    try self.init(snapshot.reader, snapshot.kinds, adopted)
  }

  init(_ reader: StoreReader, _ kinds: KindRegistry, _ adopted: SchemaVersion?) throws(AnnalsError) {
    last = try reader.last()
    // Sums wrap, because a damaged row of the census must not stop the process.
    for (number, row) in try reader.census() {
      guard let kind = kinds.kinds[number] else { continue }
      if kind.version == nil { unversioned &+= row.parts }
      if let version = kind.version ?? adopted { counts[version, default: 0] &+= row.parts }
    }
  }

  /// How many there are of each version below `version`.
  func counts(below version: SchemaVersion) -> [SchemaVersion: UInt64] {
    counts.filter { $0.key < version && $0.value > 0 }
  }

  /// How many there are of versions below `version`.
  func count(below version: SchemaVersion) -> UInt64 {
    counts(below: version).values.reduce(0, &+)
  }
}
