internal import AnnalsFormat
package import AnnalsSchema
package import AnnalsCoding
package import AnnalsLog

/// The number of delivered events of a store by version, and the end of its log.
package struct OlderEvents {
  /// Events that a stage of the plan keeps as they are stored.
  private struct Retained {
    let version: SchemaVersion
    /// The number of the stage.
    let stage: Int
    let count: UInt64
  }

  /// Those that no stage retains.
  private var counts: [SchemaVersion: UInt64] = [:]
  private var retained: [Retained] = []
  /// The number of have that no version.
  private(set) var unversioned: UInt64 = 0
  /// The position of the newest entry; 0 in an empty log.
  let last: UInt64

  /// Counts the events of a snapshot for `plan`. Events without a version count as events of the version that
  /// it adopts them as.
  package init(_ snapshot: borrowing LogSnapshot, _ plan: CompiledPlan) throws(AnnalsError) {
    try self.init(snapshot.reader, snapshot.kinds, plan)
  }

  init(_ reader: StoreReader, _ kinds: KindRegistry, _ plan: CompiledPlan) throws(AnnalsError) {
    last = try reader.last()
    // Sums wrap, because a damaged row of the census must not stop the process.
    for (number, row) in try reader.census() {
      guard let kind = kinds.kinds[number] else { continue }
      if kind.version == nil { unversioned &+= row.parts }
      guard let version = kind.version ?? plan.adopted else { continue }
      if let stage = plan.retaining(kind, in: kinds) {
        retained.append(Retained(version: version, stage: stage, count: row.parts))
      } else {
        counts[version, default: 0] &+= row.parts
      }
    }
  }

  /// How many there are of versions below `version`, without those that the plan retains.
  package func count(below version: SchemaVersion) -> UInt64 {
    counts.filter { $0.key < version }.values.reduce(0, &+)
  }

  /// How many there are of each version below `version`, with those that the plan retains after the stage
  /// numbered `stage`.
  func counts(below version: SchemaVersion, passing stage: Int) -> [SchemaVersion: UInt64] {
    var counts = counts.filter { $0.key < version && $0.value > 0 }
    for events in retained where events.version < version && events.stage > stage && events.count > 0 {
      counts[events.version, default: 0] &+= events.count
    }
    return counts
  }

  /// How many there are of versions below `version`, with those that the plan retains after the stage
  /// numbered `stage`.
  func count(below version: SchemaVersion, passing stage: Int) -> UInt64 {
    counts(below: version, passing: stage).values.reduce(0, &+)
  }

  /// Returns the number of events of versions below `version` that the plan retains after the stage numbered
  /// `stage`. An older version of the plan still takes them through that stage.
  func countRetained(below version: SchemaVersion, after stage: Int) -> UInt64 {
    retained.filter { $0.version < version && $0.stage > stage }.reduce(0) { $0 &+ $1.count }
  }
}
