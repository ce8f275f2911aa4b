import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsReplication

/// Which commits are remembered when messages have several, with a small limit.
@Suite struct RememberedCommitsTests {
  private static let limit = 50

  /// A random message: new commits, and copies of earlier ones.
  private static func message(
    at sequence: UInt64, _ open: inout [CommitID], _ random: inout SeededGenerator
  ) -> [CommitID] {
    (0..<Int.random(in: 1...8, using: &random)).map { _ in
      if let copy = open.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
        return copy
      }
      let commit = CommitID(id: UUID(), base: sequence - 1 - random.next() % min(sequence, 12))
      open.append(commit)
      if open.count > 200 { open.removeFirst(100) }
      return commit
    }
  }

  /// What a machine remembers that has opened its store after `rows`.
  private static func restarted(_ rows: [(sequence: UInt64, ids: [UUID])]) -> RecentCommits {
    var (first, count) = (rows.count, 0)
    while first > 0, count <= limit {
      first -= 1
      count += rows[first].ids.count
    }
    var recent = RecentCommits(limit: limit)
    for row in rows[first...] { for id in row.ids { recent.note(id, at: row.sequence) } }
    return recent
  }

  @Test(arguments: RunLength.seeds(4))
  func `no copy is new, and which are late depends neither on batches nor on restarts`(seed: UInt64) {
    print("remembered commits with seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var exact = RecentCommits(limit: Self.limit)
    var live = RecentCommits(limit: Self.limit)
    var rows: [(sequence: UInt64, ids: [UUID])] = []
    var open: [CommitID] = []
    var decided: Set<UUID> = []
    var (sequence, late) = (1 as UInt64, 0)
    for _ in 0..<2_000 {
      let fresh = Self.restarted(rows)
      let before = rows.count
      var unnoted = 0
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        sequence += 1 + random.next() % 2
        let commits = Self.message(at: sequence, &open, &random)
        var seen: Set<UUID> = []
        for commit in commits {
          let fate = exact.fate(of: commit, at: sequence)
          for other in [live, fresh] {
            let found = other.fate(of: commit, at: sequence, unnoted: unnoted)
            #expect((found == .late) == (fate == .late), "seed \(seed), message \(sequence)")
          }
          if fate == .late { late += 1 }
          if fate == .new, seen.insert(commit.id).inserted {
            #expect(decided.insert(commit.id).inserted, "seed \(seed), message \(sequence)")
          }
        }
        for commit in commits { exact.note(commit.id, at: sequence) }
        rows.append((sequence, commits.map(\.id)))
        unnoted += commits.count
      }
      for row in rows[before...] { for id in row.ids { live.note(id, at: row.sequence) } }
    }
    #expect(decided.count > 5_000)
    #expect(late > 500)
  }
}
