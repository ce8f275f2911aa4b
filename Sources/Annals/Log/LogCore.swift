internal import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What all logs and stores of this process that are open at one path share: the environment and the writer's thread.
final class LogCore: Sendable {
  let directory: Directory
  let current: CurrentFile
  let environment: Environment
  let tables: StoreTables
  /// The rows of `meta` as the open found them; only those that never change are used later.
  let meta: StoreMeta
  let access: StoreOptions.Access
  private let lease: FileLock.Hold?
  private let lastKinds: Mutex<KindRegistry>
  private let thread: WriterThread?

  private init(_ opened: StoreOpening.Opened, _ directory: Directory, _ access: StoreOptions.Access)
    throws(AnnalsError)
  {
    self.directory = directory
    self.access = access
    current = opened.current
    environment = opened.environment
    tables = StoreTables(opened.environment)
    meta = opened.meta
    lastKinds = Mutex(opened.kinds)
    lease = try files { () throws(StoreFileError) in try opened.lease?.lock(.shared) }
    thread =
      access == .readWrite
      ? try files { () throws(StoreFileError) in try WriterThread(name: "annals-writer") } : nil
  }

  deinit {
    thread?.stop()
  }

  /// The kinds as the newest look at the store found them.
  var kinds: KindRegistry {
    lastKinds.withLock { $0 }
  }

  /// Takes the kinds that a newer look at the store found; they only become more.
  func publish(_ kinds: KindRegistry) {
    lastKinds.withLock { if kinds.kinds.count > $0.kinds.count { $0 = kinds } }
  }

  /// The kinds as the snapshot of `reader` has them at least.
  func kinds(in reader: StoreReader) throws(AnnalsError) -> KindRegistry {
    let known = kinds
    if try reader.kindCount() <= known.kinds.count { return known }
    let newer = try reader.kinds()
    publish(newer)
    return newer
  }

  /// Hands a call to the writer's thread and waits for its answer.
  func append(_ request: AppendRequest) async throws(AnnalsError) -> Appended {
    if Task.isCancelled { throw AnnalsError(.cancelled, "the task was cancelled; nothing was written") }
    if environment.isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    let result: Result<Appended, AnnalsError> = await withCheckedContinuation { continuation in
      // Unowned, because the caller holds the core until it is answered: the thread must not keep the store open after that.
      let isAccepted = thread?.submit { [unowned self] in
        let result = LogWriter(core: self).commit(request)
        continuation.resume(returning: result)
      }
      if isAccepted != true {
        continuation.resume(
          returning: .failure(AnnalsError(.readOnly, "the store was opened for reading only")))
      }
    }
    if case .failure(let error) = result, error.recovery == [.reopen] { retire() }
    return try result.get()
  }

  /// Lets the next open of the store begin anew, because this core cannot go on.
  private func retire() {
    Self.opened.withLock { opened in opened = opened.filter { $0.value.core !== self } }
  }
}

extension LogCore {
  private struct Weak {
    weak var core: LogCore?
  }

  private static let opened = Mutex<[FileIdentity: Weak]>([:])

  /// Opens the store at `url`, or gives the one that this process has open there.
  static func open(at url: URL, options: StoreOptions) throws(AnnalsError) -> LogCore {
    let place = try StorePlace(url)
    let directory = try place.open(options)
    let identity = try files { () throws(StoreFileError) in try directory.status().identity }
    if let core = opened.withLock({ $0[identity]?.core }), !core.environment.isInherited {
      guard core.access == .readWrite || options.access == .readOnly else {
        throw AnnalsError(.busy, "this process has the store open for reading only; release that one first")
      }
      if options.trust == .nobody { try StorePages(directory, core.current).mustBeSound(only: options.scope) }
      return core
    }
    let core = try LogCore(
      StoreOpening(directory: directory, options: options).run(), directory, options.access)
    return opened.withLock { opened in
      // Two threads may have opened it at once; both then share the first.
      if let other = opened[identity]?.core, !other.environment.isInherited,
        other.access == core.access || other.access == .readWrite
      {
        return other
      }
      opened = opened.filter { $0.value.core != nil }
      opened[identity] = Weak(core: core)
      return core
    }
  }
}
