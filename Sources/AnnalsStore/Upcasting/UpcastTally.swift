internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema

/// The entries of one page by their kind, from which an observer learns how many passed each stage.
struct UpcastTally {
  private var counts: [UInt32: Int] = [:]
  private(set) var entries = 0

  /// Counts an entry. Of an entry with parts, each part counts.
  mutating func add(_ entry: borrowing LentEntry) {
    entries += 1
    guard entry.header.kind == 0, !entry.header.isSystem else {
      counts[entry.header.kind, default: 0] += 1
      return
    }
    // The upcaster reports parts that cannot be read.
    try? entry.eachPart { kind, _, _ in counts[kind, default: 0] += 1 }
  }

  /// Reports each stage that any of the entries passed, oldest first.
  func report(_ upcaster: Upcaster, to observer: any StoreObserver) {
    let (plan, kinds) = (upcaster.reach.plan, upcaster.reading.kinds.kinds)
    for (older, newer) in zip(plan.schemas, plan.schemas.dropFirst()) {
      let passing = counts.reduce(0) { sum, count in
        guard let version = kinds[count.key].flatMap({ $0.version ?? plan.adopted }) else { return sum }
        return version < newer.version ? sum + count.value : sum
      }
      guard passing > 0 else { continue }
      observer.upcast(UpcastActivity(from: older.version, to: newer.version, entries: passing))
    }
  }
}
