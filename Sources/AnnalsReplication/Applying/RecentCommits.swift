#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The commits that the log of a cluster had lately, by their ids: a copy of one is passed over.
///
/// A writer that gets no answer publishes the same message again, and a server may store an earlier copy even
/// later. Each copy has the sequence that its writer knew at first. A copy that comes more than ``window``
/// messages or ``limit`` commits after it is void on every machine, so older ids need not be remembered.
/// Nothing here reads a clock, and nothing depends on how the messages fall into batches.
struct RecentCommits {
  /// The number of messages for which an id is remembered.
  static let window: UInt64 = 65_536
  /// The number of commits, copies included, for which an id is remembered. Before messages with several
  /// calls, the window is always shorter.
  static let limit = 262_144

  /// What becomes of a commit.
  enum Fate: Equatable {
    /// It is to be decided.
    case new
    /// It is a copy of one that was decided.
    case copy
    /// It comes too late: whether it is a copy is not known.
    case late
  }

  private let limit: Int
  /// All commits in the order of the log.
  private var commits = CommitList()
  /// The sequence of the last commit that was forgotten because of ``limit``.
  private var forgotten: UInt64 = 0

  init(limit: Int = RecentCommits.limit) {
    self.limit = limit
  }

  /// Returns what becomes of the commit in the message at `sequence`.
  ///
  /// - Parameter unnoted: The number of commits in messages before this one that are not noted yet.
  func fate(of commit: CommitID, at sequence: UInt64, unnoted: Int = 0) -> Fate {
    if commit.base >= sequence || sequence - commit.base > Self.window { return .late }
    if commit.base < horizon(unnoted) { return .late }
    return commits.contains(commit.id) ? .copy : .new
  }

  /// The sequence of the newest commit that is forgotten once so many more are noted.
  private func horizon(_ unnoted: Int) -> UInt64 {
    let over = commits.count + unnoted - limit
    return over > 0 ? commits.sequence(at: over - 1) : forgotten
  }

  /// Notes a commit of the message at `sequence`, or a copy of one.
  mutating func note(_ id: UUID, at sequence: UInt64) {
    while commits.count > 0 {
      let first = commits.sequence(at: 0)
      let isOver = commits.count >= limit
      guard isOver || first + Self.window < sequence else { break }
      if isOver { forgotten = first }
      commits.removeFirst()
    }
    commits.append(id, at: sequence)
  }
}
