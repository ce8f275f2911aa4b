package import AnnalsCoding
internal import AnnalsLog
internal import AnnalsMaintenance
internal import AnnalsReplication
package import Foundation

/// The steps by which a new machine begins with a copy of another one's store.
package enum ClusterJoin {
  /// What a machine begins with.
  package struct Report: Equatable, Sendable {
    /// The facts of the new store.
    package let member: MemberFacts
    /// The sequence of the log's last message.
    package let last: UInt64
  }

  /// Copies a backup of another machine's store, after checking that the cluster's log continues it.
  ///
  /// - Parameters:
  ///   - backup: A backup of the store of a machine, or a store that no program has open.
  ///   - url: Where the new store will be. Nothing may be there, and the directory above must exist.
  ///   - shared: The cluster's log.
  ///   - limit: The longest time to wait for the servers.
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a store that is no member; `foreign` if the log is
  ///   that of another cluster; `storeTooOld` if messages after the backup are removed; `damaged` for a
  ///   damaged backup, and the errors of copying.
  package static func run(
    from backup: URL, to url: URL, _ shared: JetStreamLog, within limit: Duration
  ) async throws(AnnalsError) -> Report {
    var options = StoreOptions()
    options.access = .readOnly
    options.creation = .never
    let source = try EventLog(at: backup, options: options)
    let facts = try MemberFacts(of: source)
    let cluster = try await shared.clusterID(within: limit)
    guard cluster == facts.cluster else {
      throw AnnalsError(
        .foreign,
        "the backup is of the log \(facts.cluster.uuidString), and the servers have that of "
          + "\(cluster.uuidString): use a backup of a machine of this cluster")
    }
    let stream = try await shared.stream(within: limit)
    guard stream.last >= facts.applied else {
      throw AnnalsError(
        .damaged,
        "the servers' log ends at message \(stream.last), and the backup has applied \(facts.applied): the "
          + "servers have lost messages")
    }
    guard stream.first <= facts.applied + 1 else {
      throw AnnalsError(
        .storeTooOld,
        "the servers' log begins at message \(stream.first), and the backup has applied only "
          + "\(facts.applied): use a newer backup")
    }
    try source.backup(to: url)
    return Report(member: facts, last: stream.last)
  }
}
