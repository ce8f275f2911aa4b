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
  private var sequences: [UUID: UInt64] = [:]
  /// All commits in the order of the log, from ``start`` on.
  private var order: [(sequence: UInt64, id: UUID)] = []
  private var start = 0
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
    return sequences[commit.id] == nil ? .new : .copy
  }

  /// The sequence of the newest commit that is forgotten once so many more are noted.
  private func horizon(_ unnoted: Int) -> UInt64 {
    let over = order.count - start + unnoted - limit
    return over > 0 ? order[start + over - 1].sequence : forgotten
  }

  /// Notes a commit of the message at `sequence`, or a copy of one.
  mutating func note(_ id: UUID, at sequence: UInt64) {
    while start < order.count {
      let isOver = order.count - start >= limit
      guard isOver || order[start].sequence + Self.window < sequence else { break }
      if isOver { forgotten = order[start].sequence }
      if sequences[order[start].id] == order[start].sequence { sequences[order[start].id] = nil }
      start += 1
    }
    if sequences[id] == nil { sequences[id] = sequence }
    order.append((sequence, id))
    if start > 4_096, start * 2 > order.count {
      order.removeFirst(start)
      start = 0
    }
  }
}
