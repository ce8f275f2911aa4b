package import AnnalsCoding
internal import AnnalsFormat
package import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The shared core of all logs and stores of this process at one path: the generation in use and its writer.
package final class LogCore: Sendable {
  /// The generation in use. A migration pass may replace it at any moment, so code that uses it twice must
  /// read it once and keep it.
  package let place: CurrentGeneration
  package let access: StoreOptions.Access
  /// The id that all copies and generations of the log share.
  package let log: UUID
  private let home = HomeProcess()
  /// The writer; `nil` in a store that is open for reading only.
  let writer: LogWriter?
  /// The watch of the log's followers.
  let watching = Mutex(Watching())
  /// The observer of the first opener.
  package let observer: (any StoreObserver)?
  /// The memory for the next large call.
  package let spare = SpareLists()
  /// The values that upper layers keep with the log.
  package let attachments = Attachments()

  private init(_ place: CurrentGeneration, _ options: StoreOptions) throws(AnnalsError) {
    self.place = place
    access = options.access
    observer = options.observer
    log = place.generation.current.log
    let interval = options.mergeInterval.fitting(memory: options.headMemory)
    writer =
      access == .readWrite
      ? try LogWriter(
        place, interval: interval, room: options.queueMemory, lockTimeout: options.lockTimeout,
        clock: options.clock, options.observer) : nil
  }

  /// The generation in use as this process knows it.
  package var generation: Generation { place.generation }

  /// Whether this is a child of the process that opened the store.
  package var isInherited: Bool { home.isLeft }

  /// Returns the generation that succeeds `old`, for a reader that met its seal. The writer then continues
  /// there too.
  package func successor(of old: Generation) throws(AnnalsError) -> Generation {
    let next = try place.successor(of: old)
    writer?.follow()
    return next
  }

  /// Reads the store and returns the generation in use. The writer then continues there too.
  package func newest() throws(AnnalsError) -> Generation {
    let known = generation
    let newest = try place.newest()
    if newest !== known { writer?.follow() }
    return newest
  }

  /// Waits until the queue has space for another call, which is to be encoded then.
  ///
  /// - Returns: The space, which is reserved until the value ends; `nil` if the store is read-only, which the
  ///   append reports.
  package func admit(_ options: StoreOptions) async throws(AnnalsError) -> LogWriter.Admission? {
    guard let writer, !isInherited else { return nil }
    return try await writer.admit(within: options.lockTimeout)
  }

  /// Waits as ``admit(_:)`` does, and blocks the calling thread meanwhile.
  package func admitBlocking(_ options: StoreOptions) throws(AnnalsError) -> LogWriter.Admission? {
    guard let writer, !isInherited else { return nil }
    return try writer.admitBlocking(within: options.lockTimeout)
  }

  /// Passes a call to the writer and waits for its answer.
  ///
  /// - Parameter request: The call. It is moved to the writer: a copy would count references to all lists.
  func append(
    _ request: consuming AppendRequest, _ options: StoreOptions
  ) async throws(AnnalsError) -> Appended {
    if Task.isCancelled { throw AnnalsError.callCancelled }
    let writer = try usableWriter()
    let since = request.since ?? .now
    let call = GroupCall(consume request, options, spare)
    return try retiring(await writer.append(call, within: options.lockTimeout, since: since))
  }

  /// Appends as ``append(_:_:)`` does, and blocks the calling thread meanwhile.
  func appendBlocking(
    _ request: consuming AppendRequest, _ options: StoreOptions
  ) throws(AnnalsError) -> Appended {
    let writer = try usableWriter()
    let since = request.since ?? .now
    let call = GroupCall(consume request, options, spare)
    return try retiring(writer.appendBlocking(call, within: options.lockTimeout, since: since))
  }

  /// Applies changes in the order of a shared log, and blocks the calling thread meanwhile.
  func apply(_ batch: SequencedBatch) throws(AnnalsError) -> SequencedAnswers {
    let writer = try usableWriter()
    do throws(AnnalsError) { return try writer.apply(batch) } catch {
      if error.recovery == [.reopen] { retire() }
      throw error
    }
  }

  private func usableWriter() throws(AnnalsError) -> LogWriter {
    if isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    guard let writer else { throw AnnalsError(.readOnly, "the store was opened for reading only") }
    return writer
  }

  /// Returns the answer to a call. A core that cannot continue after it is no longer opened.
  private func retiring(_ result: Result<Appended, AnnalsError>) throws(AnnalsError) -> Appended {
    if case .failure(let error) = result, error.recovery == [.reopen] { retire() }
    return try result.get()
  }

  /// Makes the next open of the store start from the beginning, because this core cannot continue.
  private func retire() {
    Self.change { cores in cores = cores.filter { $0.value !== self } }
  }
}

extension LogCore {
  private struct Weak {
    weak var core: LogCore?
  }

  private static let opened = Mutex<[FileIdentity: Weak]>([:])

  /// Changes which cores are opened. None of them ends before the lock is released: an end takes time, and
  /// may need the lock.
  private static func change<R: Sendable>(_ body: (inout [FileIdentity: LogCore]) -> R) -> R {
    let (result, cores) = opened.withLock { opened in
      let cores = opened.compactMapValues(\.core)
      var changed = cores
      let result = body(&changed)
      opened = changed.mapValues(Weak.init)
      return (result, cores)
    }
    return withExtendedLifetime(cores) { result }
  }

  /// Returns the core that this process has open for the store in `directory`; `nil` if there is none.
  package static func opened(in directory: Directory) throws(AnnalsError) -> LogCore? {
    let identity = try files { () throws(StoreFileError) in try directory.status().identity }
    let core = opened.withLock { $0[identity]?.core }
    return core.flatMap { $0.isInherited ? nil : $0 }
  }

  /// Opens the store at `url`, or returns the core that this process has open there.
  static func open(at url: URL, options: StoreOptions) throws(AnnalsError) -> LogCore {
    let place = try StorePlace(url)
    return try place.open(options) { (directory) throws(AnnalsError) -> LogCore in
      let identity = try files { () throws(StoreFileError) in try directory.status().identity }
      if let core = opened.withLock({ $0[identity]?.core }), !core.isInherited {
        guard core.access == .readWrite || options.access == .readOnly else {
          throw AnnalsError(.busy, "this process has the store open for reading only; release that one first")
        }
        guard options.trust == .nobody else { return core }
        let pages = StorePages(directory, core.generation.current)
        if let scope = options.scope {
          try pages.mustBeSound(scope)
        } else {
          try pages.mustBeSound(in: core.generation.environment)
        }
        return core
      }
      let core = try LogCore(CurrentGeneration(directory, options), options)
      guard try place.leads(to: directory) else {
        throw AnnalsError(.busy, "the store was moved while it was opened; open it again")
      }
      return change { cores in
        let other = cores[identity]
        // Two threads may have opened it at once; both then share the first.
        if let other, !other.isInherited, [core.access, .readWrite].contains(other.access) { return other }
        cores[identity] = core
        return core
      }
    }
  }
}
