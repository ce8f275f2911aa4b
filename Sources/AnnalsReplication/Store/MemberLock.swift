internal import AnnalsCoding
internal import AnnalsLog
internal import LMDB

/// The claim of one program of a machine to apply the cluster's log to a store. It ends with this object.
final class MemberLock: Sendable {
  private let lock: FileLock
  private let hold: FileLock.Hold

  init(_ log: EventLog) throws(AnnalsError) {
    let directory = log.core.generation.directory
    lock = try files { () throws(StoreFileError) in try FileLock("cluster.lock", in: directory) }
    let lock = lock
    guard let hold = try files({ () throws(StoreFileError) in try lock.tryLock(.exclusive) }) else {
      let holder = try files { () throws(StoreFileError) in try lock.lastHolder() }
      throw AnnalsError(
        .busy,
        "\(holder.map { "process \($0)" } ?? "another program") is a member of the cluster with this store: end it, or use its store",
        details: AnnalsError.Details { $0.holder = holder })
    }
    self.hold = hold
  }
}
