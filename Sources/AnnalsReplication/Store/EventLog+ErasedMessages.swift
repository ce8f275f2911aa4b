internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension EventLog {
  /// Returns the sequences of the cluster's messages that have an erased event, and of all copies of them, in
  /// order.
  func messagesOfErasedEntries() throws(AnnalsError) -> [UInt64] {
    try read { (snapshot) throws(AnnalsError) in
      var erased = PositionRanges()
      for change in try snapshot.systemEntries() {
        guard case .erased(let positions, _) = change.entry.change else { continue }
        erased = erased.union(positions)
      }
      guard !erased.isEmpty else { return [] }
      var ids: Set<UUID> = []
      try snapshot.reader.eachCommit { commit in
        if erased.overlaps(commit) { ids.insert(commit.id) }
      }
      var sequences: [UInt64] = []
      try snapshot.reader.eachCommit { commit in
        guard ids.contains(commit.id), sequences.last != commit.sequence else { return }
        sequences.append(commit.sequence)
      }
      return sequences
    }
  }
}

extension PositionRanges {
  /// Whether an entry of a commit is in the set.
  fileprivate func overlaps(_ commit: CommitRows.Commit) -> Bool {
    guard commit.count > 0 else { return false }
    let last = commit.first + commit.count - 1
    // The first range that does not end before the commit.
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < commit.first { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].lowerBound <= last
  }
}
