internal import LMDB
import Synchronization

/// One generation's file, open: what everybody in this process who reads or writes it shares.
final class Generation: Sendable {
  let directory: Directory
  let current: CurrentFile
  let environment: Environment
  let tables: StoreTables
  /// The rows of `meta` as the open found them; only those that never change are used later.
  let meta: StoreMeta
  /// The heads of streams in memory.
  let heads: StreamHeads
  private let lease: FileLock.Hold?
  private let lastKinds: Mutex<KindRegistry>

  /// Takes what an open found.
  ///
  /// - Parameter memory: The bytes that heads may take in memory.
  init(_ opened: StoreOpening.Opened, _ directory: Directory, memory: Int) throws(AnnalsError) {
    self.directory = directory
    current = opened.current
    environment = opened.environment
    tables = StoreTables(opened.environment)
    meta = opened.meta
    heads = StreamHeads(checkpoint: opened.meta.checkpoint, memory: memory)
    lastKinds = Mutex(opened.kinds)
    lease = try files { () throws(StoreFileError) in try opened.lease?.lock(.shared) }
  }

  /// The kinds as the newest look at the store found them.
  var kinds: KindRegistry {
    lastKinds.withLock { $0 }
  }

  /// Takes the kinds that a newer look at the store found; they only become more.
  func publish(_ kinds: KindRegistry) {
    lastKinds.withLock { known in
      if kinds.kinds.count >= known.kinds.count, kinds.epoch >= known.epoch { known = kinds }
    }
  }

  /// The kinds as the snapshot of `reader` has them at least.
  func kinds(in reader: StoreReader) throws(AnnalsError) -> KindRegistry {
    let known = kinds
    if try reader.kindCount() <= known.kinds.count, try reader.schemaEpoch() <= known.epoch { return known }
    let newer = try reader.kinds()
    publish(newer)
    return newer
  }
}
