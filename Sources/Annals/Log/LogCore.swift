internal import AnnalsCoding
internal import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What all logs and stores of this process that are open at one path share: the generation in use and its writer.
final class LogCore: Sendable {
  /// The generation in use, which a migration pass may replace at any moment: whoever uses it twice takes it once and keeps it.
  let place: CurrentGeneration
  let access: StoreOptions.Access
  /// What all copies and generations of the log share.
  let log: UUID
  private let home = HomeProcess()
  /// The writer; `nil` in a store that is open for reading only.
  let writer: LogWriter?
  /// The watch of those who follow the log.
  let watching = Mutex(Watching())
  /// How far the consumers of the log are, from the first use on.
  let consumerFile = Mutex<ConsumerFile?>(nil)
  /// The states of aggregates that are kept beside the log, from the first use on.
  private let snapshotFile = Mutex<SnapshotFile??>(nil)
  /// What folds views, for each plan that has any.
  let viewHosts = Mutex(ViewHosts())

  private init(_ place: CurrentGeneration, _ options: StoreOptions) throws(AnnalsError) {
    self.place = place
    access = options.access
    log = place.generation.current.log
    let interval = options.mergeInterval.fitting(memory: options.headMemory)
    writer =
      access == .readWrite
      ? try LogWriter(
        place, interval: interval, room: options.queueMemory, lockTimeout: options.lockTimeout) : nil
  }

  /// The generation in use as this process knows it.
  var generation: Generation { place.generation }

  /// Whether this is a child of the process that opened the store.
  var isInherited: Bool { home.isLeft }

  /// The generation that succeeds `old`, for a reader that met its seal; the writer then goes on there too.
  func successor(of old: Generation) throws(AnnalsError) -> Generation {
    let next = try place.successor(of: old)
    writer?.follow()
    return next
  }

  /// The generation in use, by a look at the store; the writer goes on there too.
  func newest() throws(AnnalsError) -> Generation {
    let known = generation
    let newest = try place.newest()
    if newest !== known { writer?.follow() }
    return newest
  }

  /// The states of aggregates that are kept beside the log; `nil` where they cannot be.
  func snapshots() -> SnapshotFile? {
    snapshotFile.withLock { known in
      if let known { return known }
      let opened = SnapshotFile.open(in: generation.directory, access: access)
      known = .some(opened)
      return opened
    }
  }

  /// Waits until the calls that wait leave room for another one, which is to be encoded then.
  ///
  /// - Returns: The room, which is kept until the value ends; `nil` where nothing is written, which the
  ///   append says.
  func admit(_ options: StoreOptions) async throws(AnnalsError) -> LogWriter.Admission? {
    guard let writer, !isInherited else { return nil }
    return try await writer.admit(within: options.lockTimeout)
  }

  /// Hands a call to the writer and waits for its answer.
  func append(_ request: AppendRequest, _ options: StoreOptions) async throws(AnnalsError) -> Appended {
    if Task.isCancelled { throw AnnalsError.callCancelled }
    if isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    guard let writer else { throw AnnalsError(.readOnly, "the store was opened for reading only") }
    let result = await writer.append(
      request, durability: options.durability, within: options.lockTimeout,
      since: request.since ?? .now)
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

  /// What this process has open of the store in `directory`; `nil` where that is nothing.
  static func opened(in directory: Directory) throws(AnnalsError) -> LogCore? {
    let identity = try files { () throws(StoreFileError) in try directory.status().identity }
    let core = opened.withLock { $0[identity]?.core }
    return core.flatMap { $0.isInherited ? nil : $0 }
  }

  /// Opens the store at `url`, or gives the one that this process has open there.
  static func open(at url: URL, options: StoreOptions) throws(AnnalsError) -> LogCore {
    let place = try StorePlace(url)
    let directory = try place.open(options)
    let identity = try files { () throws(StoreFileError) in try directory.status().identity }
    if let core = opened.withLock({ $0[identity]?.core }), !core.isInherited {
      guard core.access == .readWrite || options.access == .readOnly else {
        throw AnnalsError(.busy, "this process has the store open for reading only; release that one first")
      }
      if options.trust == .nobody {
        let pages = StorePages(directory, core.generation.current)
        if options.scope == nil {
          try pages.mustBeSound(in: core.generation.environment)
        } else {
          try pages.smallTablesMustBeSound()
        }
      }
      return core
    }
    let core = try LogCore(CurrentGeneration(directory, options), options)
    guard try place.leads(to: directory) else {
      throw AnnalsError(
        .busy, "the store was moved while it was opened; open it again")
    }
    return opened.withLock { opened in
      // Two threads may have opened it at once; both then share the first.
      if let other = opened[identity]?.core, !other.isInherited,
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
