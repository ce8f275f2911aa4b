internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

extension EventLog {
  /// Samples the log: reads the headers of entries at evenly spaced positions, a page of them per snapshot.
  ///
  /// Damage ends the sample, with its problem.
  ///
  /// - Throws: ``AnnalsError`` with code `tooManyReaders`, `storeReplaced` or `inputOutput`.
  /// - Complexity: O(``EntrySample/limit``) look-ups, regardless of the length of the log.
  func sample() throws(AnnalsError) -> EntrySample {
    let total = try read { (snapshot) throws(AnnalsError) in try snapshot.head()?.rawValue ?? 0 }
    var sample = EntrySample(total: total)
    var kinds: [UInt32: Int] = [:]
    let positions = EntrySample.positions(of: total)
    do throws(AnnalsError) {
      for start in stride(from: 0, to: positions.count, by: Self.samplePage) {
        let page = positions[start..<min(start + Self.samplePage, positions.count)]
        try read { (snapshot) throws(AnnalsError) in
          for position in page { try snapshot.add(Position(position), to: &sample, &kinds) }
        }
      }
    } catch {
      guard error.code == .damaged || error.code == .formatVersion || error.code == .needsNewer else {
        throw error
      }
      sample.problem = error.message
    }
    return sample
  }

  /// The number of entries that one snapshot reads.
  private static let samplePage = 1_000
}

extension LogSnapshot {
  /// Adds the entry at `position` to a sample.
  ///
  /// - Parameter known: The series of the kinds that were met.
  fileprivate func add(
    _ position: Position, to sample: inout EntrySample, _ known: inout [UInt32: Int]
  ) throws(AnnalsError) {
    let reader = reader
    let entry = try reader.lend(try reader.bytes(at: position), at: position)
    let isSystem = entry.header.isSystem
    var number = entry.header.kind
    // An entry of several parts is drawn in the colour of its first one.
    if entry.header.flags.contains(.parts), !isSystem {
      try entry.eachPart { (kind, _, _) in if number == 0 { number = kind } }
    }
    let series: Int
    if let index = known[number] {
      series = index
    } else if isSystem {
      series = sample.index(of: EntrySample.Series(type: SystemEntry.stream.text, version: nil))
    } else {
      let kind = try EntryReading(kinds: kinds).kind(number, at: position)
      series = sample.index(of: EntrySample.Series(type: kind.row.name, version: kind.version))
      known[number] = series
    }
    sample.add(
      EntrySample.Entry(
        position: position.rawValue, time: entry.header.time, bytes: entry.bytes.count, series: series,
        stream: entry.header.stream.rawValue))
  }
}
