#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The running hashes that the machines of a cluster have published, compared with this machine's own.
///
/// The majority is right. A machine stops if more of the others have another hash than have its
/// own, itself included. If as many have either, it stops when the next hash comes, because by then every
/// machine that is at work has published this one.
struct AuditBook {
  /// The number of accepted commits between two hashes.
  static let interval: UInt64 = 1_000
  /// The number of hashes that are compared at a time.
  private static let limit = 16

  /// A hash that differs from this machine's.
  struct Difference: Equatable {
    /// The number of accepted commits.
    var commits: UInt64
    /// The position of the newest entry by then.
    var position: UInt64
  }

  private struct Page {
    var own: Audit
    var votes: [UUID: CommitChain] = [:]

    /// The machines that agree, this one included, and the most that agree on another hash.
    var count: (own: Int, other: Int) {
      var counts: [CommitChain: Int] = [:]
      for hash in votes.values { counts[hash, default: 0] += 1 }
      let other = counts.filter { $0.key != own.hash }.values.max() ?? 0
      return (counts[own.hash, default: 0] + (votes[own.machine] == nil ? 1 : 0), other)
    }
  }

  private var pages: [UInt64: Page] = [:]

  /// Notes this machine's own hash, which it publishes.
  mutating func note(_ own: Audit) {
    pages[own.commits] = Page(own: own)
    if pages.count > Self.limit, let oldest = pages.keys.min() { pages[oldest] = nil }
  }

  /// Takes a published hash.
  ///
  /// - Returns: Where this machine differs from the cluster; `nil` if it does not.
  mutating func take(_ audit: Audit) -> Difference? {
    pages[audit.commits]?.votes[audit.machine] = audit.hash
    for (commits, page) in pages.sorted(by: { $0.key < $1.key }) {
      let (own, other) = page.count
      if other > own || other == own && commits < audit.commits {
        return Difference(commits: commits, position: page.own.position)
      }
    }
    return nil
  }
}
