package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
internal import LMDB

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension EventLog {
  /// Makes the store of a member a store of its own, which takes appends of this machine alone.
  ///
  /// All entries stay. The store cannot become a member again, because it no longer knows how far it has
  /// applied the cluster's log. Other machines are not concerned.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a store that is no member; `busy` while a program is
  ///   a member with it.
  package func leaveCluster() throws(AnnalsError) {
    guard try memberState() != nil else {
      throw AnnalsError(.wrongUse, "the store belongs to no cluster; nothing was changed")
    }
    let claim = try MemberLock(self)
    let rows = try read { (snapshot) throws(AnnalsError) in try snapshot.reader.clusterRows().map(\.name) }
    // `erasures` needs to know in which generation the machine applied an erasure, also afterwards.
    let kept = rows.filter { !$0.hasPrefix("\(ClusterRow.prefix) erased ") }
    _ = try apply(
      SequencedBatch([], .full, isShared: false) { (_) throws(AnnalsError) in
      } finish: { (transaction, tables, _) throws(AnnalsError) in
        for name in kept { try transaction.remove(name, in: tables.meta) }
        try transaction.release(.cluster, tables)
      })
    _ = consume claim
  }
}

extension ReplicatedLog {
  /// Returns the id of the log of a cluster's stores, from the first message.
  package func clusterID(within limit: Duration) async throws(AnnalsError) -> UUID {
    try await genesis(within: limit).log
  }
}
