internal import AnnalsCoding
internal import AnnalsLog
internal import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Announces the programs of this machine to the others, and listens to theirs: the leases of a cluster.
///
/// They are advice. A program of which nobody has heard loses its appends after an activation, as one that
/// comes back later does, and nothing else.
final class ProgramExchange: Sendable {
  private struct State {
    var book = ProgramBook()
    /// The time at which an announcement of this machine came back for the first time since it was connected,
    /// so that others have it too.
    var heard: ContinuousClock.Instant?
    /// The time at which one came back last.
    var last: ContinuousClock.Instant?
  }

  /// The time for others to answer once this machine's own announcement has come back.
  private static let patience = Duration.milliseconds(300)
  /// The rest between announcements until the first one comes back.
  private static let haste = Duration.milliseconds(200)

  private let log: any ReplicatedLog
  private let cluster: UUID
  private let machine = UUID.random()
  private let lease: Duration
  private let programs: @Sendable () throws(AnnalsError) -> [LiveProgram]
  private let state = Mutex(State())

  /// Creates the exchange of a member.
  ///
  /// - Parameters:
  ///   - cluster: The id of the cluster's log.
  ///   - lease: The time for which an announcement counts.
  ///   - programs: Returns the programs that have the store of this machine open.
  init(
    _ log: any ReplicatedLog, cluster: UUID, lease: Duration,
    programs: @escaping @Sendable () throws(AnnalsError) -> [LiveProgram]
  ) {
    self.log = log
    self.cluster = cluster
    self.lease = lease
    self.programs = programs
  }

  /// Announces and listens until the task is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in await log.announcements { [self] in await take($0) } }
      group.addTask { [self] in await announce() }
    }
  }

  private func announce() async {
    while !Task.isCancelled {
      let isHeard = isConnected(now: .now)
      await announce(asks: !isHeard)
      do { try await Task.sleep(for: isHeard ? lease / 3 : Self.haste) } catch { return }
    }
  }

  private func announce(asks: Bool) async {
    // A directory that cannot be read now is read next time.
    guard let programs = try? programs() else { return }
    await log.announce(announcement(of: programs, asks: asks))
  }

  private func announcement(of programs: [LiveProgram], asks: Bool) -> [UInt8] {
    let (seconds, attoseconds) = lease.components
    let milliseconds = UInt64(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    return ProgramAnnouncement(
      log: cluster, machine: machine, name: ProcessInfo.processInfo.hostName, asks: asks,
      milliseconds: milliseconds, programs: programs
    ).encoded()
  }

  private func take(_ bytes: [UInt8]) async {
    // Bytes that are no announcement, or one of another cluster, say nothing.
    guard let announcement = try? ProgramAnnouncement(bytes), announcement.log == cluster else { return }
    let now = ContinuousClock.now
    guard announcement.machine != machine else {
      state.withLock { state in
        if state.heard == nil { state.heard = now }
        state.last = now
      }
      return
    }
    state.withLock { $0.book.take(announcement, now: now) }
    if announcement.asks { await announce(asks: false) }
  }

  /// Whether this machine's own announcements come back. If they do not for as long as one counts, those of
  /// others were missed as well.
  private func isConnected(now: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      if let last = state.last, now - last < lease { return true }
      state.heard = nil
      return false
    }
  }

  /// The programs of other machines that were heard of lately.
  var living: [LiveProgram] {
    state.withLock { $0.book.living(now: .now) }
  }

  /// Waits until the others had time to announce theirs, and blocks the calling thread meanwhile.
  ///
  /// - Throws: ``AnnalsError`` with code `unavailable` if they cannot be reached in time.
  func listen(within limit: Duration) throws(AnnalsError) {
    let end = ContinuousClock.now + limit
    while true {
      let now = ContinuousClock.now
      if isConnected(now: now), let heard = state.withLock({ $0.heard }), now - heard >= Self.patience {
        return
      }
      guard now < end else {
        throw AnnalsError(
          .unavailable,
          "the other machines of the cluster cannot be asked which programs they run; nothing was changed: try again"
        )
      }
      WriterThread.pause(milliseconds: 10)
    }
  }

  /// Tells the others that this machine has closed its store.
  func end() {
    let bytes = announcement(of: [], asks: false)
    Task(executorPreference: TaskThreads.shared) { [log] in await log.announce(bytes) }
  }
}
