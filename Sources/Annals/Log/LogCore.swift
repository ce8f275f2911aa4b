internal import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What all logs and stores of this process that are open at one path share: the generation and its writer.
final class LogCore: Sendable {
  let generation: Generation
  let access: StoreOptions.Access
  /// The writer; `nil` in a store that is open for reading only.
  let writer: LogWriter?

  private init(_ generation: Generation, _ options: StoreOptions) throws(AnnalsError) {
    self.generation = generation
    access = options.access
    writer =
      access == .readWrite ? try LogWriter(generation, interval: options.mergeInterval) : nil
  }

  var directory: Directory { generation.directory }
  var current: CurrentFile { generation.current }
  var environment: Environment { generation.environment }
  var tables: StoreTables { generation.tables }
  var meta: StoreMeta { generation.meta }
  var kinds: KindRegistry { generation.kinds }

  /// The kinds as the snapshot of `reader` has them at least.
  func kinds(in reader: StoreReader) throws(AnnalsError) -> KindRegistry {
    try generation.kinds(in: reader)
  }

  /// Hands a call to the writer and waits for its answer.
  func append(_ request: AppendRequest, _ options: StoreOptions) async throws(AnnalsError) -> Appended {
    if Task.isCancelled { throw AnnalsError(.cancelled, "the task was cancelled; nothing was written") }
    if environment.isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    guard let writer else { throw AnnalsError(.readOnly, "the store was opened for reading only") }
    let result = await writer.append(request, durability: options.durability, within: options.lockTimeout)
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
    let generation = try Generation(
      StoreOpening(directory: directory, options: options).run(), directory, memory: options.headMemory)
    let core = try LogCore(generation, options)
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
