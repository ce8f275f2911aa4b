import AnnalsCoding
import AnnalsLog
import Foundation
import Synchronization

@testable import AnnalsReplication

/// A member of a cluster without a plan, whose log suites append to.
enum UntypedMember {
  static func open(
    at url: URL, log shared: any ReplicatedLog, options: StoreOptions
  ) async throws(AnnalsError) -> EventLog {
    end(at: url)
    let cluster = ClusterOptions()
    var (log, claim, options) = try await Joining(shared, [], known: [], cluster).run(at: url, options)
    let applier = try Applier(log, claim, [], nil)
    let member = ClusterMember(shared, cluster)
    options.sequencer = member
    let opened = try EventLog(unsettled: url, options: options)
    member.start(applier, cluster: log.id) { () throws(AnnalsError) in [] }
    members.withLock { $0[url.standardizedFileURL.path] = member }
    return opened
  }

  /// The members of this process, by the paths of their stores.
  private static let members = Mutex<[String: ClusterMember]>([:])

  /// Lets the untyped member with a store leave, because the suites open the store again while they still
  /// have the log. It can be read from then on.
  static func end(at url: URL) {
    members.withLock { $0.removeValue(forKey: url.standardizedFileURL.path) }?.close()
  }
}
