#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The commits that the log of a cluster had lately, by their ids: a copy of one is passed over.
///
/// A writer that gets no answer publishes the same message again, and a server may store an earlier copy even
/// later. Each copy has the sequence that its writer knew at first. A copy that comes more than ``window``
/// messages after it is void on every machine, so older ids need not be remembered. Nothing here reads a
/// clock.
struct RecentCommits {
  /// The number of messages for which an id is remembered.
  static let window: UInt64 = 65_536

  /// What becomes of a commit.
  enum Fate: Equatable {
    /// It is to be decided.
    case new
    /// It is a copy of one that was decided.
    case copy
    /// It comes too late: whether it is a copy is not known.
    case late
  }

  private var sequences: [UUID: UInt64] = [:]
  /// The same ids in the order of their sequences, from ``start`` on.
  private var order: [(sequence: UInt64, id: UUID)] = []
  private var start = 0

  /// Returns what becomes of the commit in the message at `sequence`.
  func fate(of commit: CommitID, at sequence: UInt64) -> Fate {
    if commit.base >= sequence || sequence - commit.base > Self.window { return .late }
    return sequences[commit.id] == nil ? .new : .copy
  }

  /// Remembers a decided commit, by the sequence of its first copy.
  mutating func note(_ id: UUID, at sequence: UInt64) {
    if sequences[id] != nil { return }
    sequences[id] = sequence
    order.append((sequence, id))
    while start < order.count, order[start].sequence + Self.window < sequence {
      sequences[order[start].id] = nil
      start += 1
    }
    if start > 4_096, start * 2 > order.count {
      order.removeFirst(start)
      start = 0
    }
  }
}
