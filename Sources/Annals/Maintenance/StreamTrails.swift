internal import AnnalsCoding

/// The newest entries of streams, as a scan from the first entry of the log on has passed them.
///
/// It knows where a link of the next entry must lead without a look at the entry there, which has been read already. Of a log
/// of many streams only some are remembered at a time; what is not known is looked up.
struct StreamTrails {
  /// How many streams are remembered at most, with some 150 bytes each.
  static let limit = 1 << 18

  /// What is remembered of one stream.
  private struct Trail {
    /// The newest revision.
    var revision: UInt64 = 0
    /// At index l the position of the newest revision that is a multiple of 4^l; 0 where it is not known.
    var positions: [UInt64] = []
    /// The position of revision 0 if nothing was missed since; it is a multiple of everything.
    var first: UInt64 = 0
    /// The newest revision with an id, plus 1; 0 where none was seen.
    var newestID: UInt64 = 0
    /// What the row of `heads` says of the newest id, plus 1 (0: none); `nil` until somebody has looked.
    var storedID: UInt64?

    func position(atLevel level: Int) -> UInt64 {
      level < positions.count ? positions[level] : first
    }

    /// Goes on to an entry and gives the positions that its links must lead to.
    mutating func advance(to header: EntryHeader, at position: Position) -> EntryLinks {
      var targets = EntryLinks()
      if positions.isEmpty || revision &+ 1 != header.revision.rawValue {
        self = Trail(storedID: storedID)
        first = header.revision.rawValue == 0 ? position.rawValue : 0
      }
      revision = header.revision.rawValue
      let levels = Head.levels(dividing: header.revision)
      for level in 0..<levels { targets.append(self.position(atLevel: level)) }
      for level in 0..<max(levels, 1) {
        if level == positions.count { positions.append(position.rawValue) }
        positions[level] = position.rawValue
      }
      if header.flags.contains(.id) { newestID = revision + 1 }
      return targets
    }
  }

  private var trails: [UInt64: Trail] = [:]

  /// Goes on to the entry at `position`, the next of its stream.
  ///
  /// - Returns: For each of its links the position of the entry that it must lead to; 0 where that is not known.
  mutating func advance(to header: EntryHeader, at position: Position) -> EntryLinks {
    if trails.count >= Self.limit, trails[header.stream.rawValue] == nil {
      trails.removeAll(keepingCapacity: true)
    }
    return trails[header.stream.rawValue, default: Trail()].advance(to: header, at: position)
  }

  /// What the row of `heads` says of a stream's newest id, if it is remembered: its revision plus 1, or 0 for none.
  func storedID(of stream: Position) -> UInt64? {
    trails[stream.rawValue]?.storedID
  }

  /// Remembers what the row of `heads` says of a stream's newest id.
  mutating func remember(storedID: Revision?, of stream: Position) {
    trails[stream.rawValue]?.storedID = storedID.map { $0.rawValue + 1 } ?? 0
  }

  /// Whether the entries that were passed are those that a row of `heads` leads to; `false` also where that is not known.
  func confirms(_ head: Head) -> Bool {
    guard let trail = trails[head.id.rawValue], !trail.positions.isEmpty,
      trail.revision == head.revision.rawValue,
      trail.newestID == head.newestID.map({ $0.rawValue + 1 }) ?? 0
    else { return false }
    return (0...head.levels.count).allSatisfy {
      trail.position(atLevel: $0) == head.newest(atLevel: $0).rawValue
    }
  }
}
