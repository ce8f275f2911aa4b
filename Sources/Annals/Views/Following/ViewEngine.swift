internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

/// The engine that folds the views of one log and plan in this process: passes through the log, a thread for
/// each view, and one that maintains files.
///
/// Threads hold the engine. Users of views hold a ``ViewHost``, whose end ends the threads.
final class ViewEngine<Event: SchemaEvent>: Sendable {
  let core: LogCore
  let reach: PlanResolver
  let access: StoreOptions.Access
  let pace: ViewPace
  /// Held while files are chosen; never inside ``table``.
  let settling = Mutex(Settling())
  private let table: Mutex<PassTable<Event>>
  private let threads = Mutex(Threads())
  private let over = Atomic(false)
  /// The signal that wakes the thread that maintains files.
  let chores = Signal()

  /// The state of the files.
  struct Settling: Sendable {
    var lines: [ViewLine<Event>] = []
    /// Replaced files that are still open elsewhere.
    var outlived: Set<UInt64> = []
    var files: [UInt64: WeakFile] = [:]
  }

  struct WeakFile: Sendable {
    weak var file: ViewFile?
  }

  private struct Threads: Sendable {
    var passes: [UInt64: ViewPass<Event>] = [:]
    var keeper: WriterThread?
    var watch: CommitWatch?
  }

  init(_ core: LogCore, _ reach: PlanResolver, _ access: StoreOptions.Access, _ pace: ViewPace) {
    self.core = core
    self.reach = reach
    self.access = access
    self.pace = pace
    table = Mutex(PassTable(reach.plan))
  }

  /// Whether the engine is ending.
  var isOver: Bool { over.load(ordering: .acquiring) }

  /// Ends all threads, and waits for them. Folded rows are stored first.
  func close() {
    over.store(true, ordering: .releasing)
    chores.announce()
    // The keeper could begin work that is being ended here.
    let keeper = threads.withLock { threads in
      defer { threads.keeper = nil }
      return threads.keeper
    }
    keeper?.join()
    let lines = settling.withLock { $0.lines }
    while true {
      let tracks = lines.flatMap { line in line.state.withLock { $0.tracks } }
      if tracks.isEmpty { break }
      for track in tracks { retire(track) }
    }
    core.place.commits.announce()
    let passes = threads.withLock { threads in
      defer { threads = Threads() }
      return Array(threads.passes.values)
    }
    for pass in passes { pass.join() }
    for line in lines {
      line.state.withLock { $0 = ViewLine<Event>.State() }
      line.changes.announce()
    }
  }
}

// Passes through the log.
extension ViewEngine {
  /// Adds a runner to a pass that reads after a position.
  func join(_ track: ViewTrack<Event>, after position: UInt64) {
    if isOver { return }
    let (number, isNew) = table.withLock { $0.join(track, after: position) }
    begin(number, isNew)
  }

  private func begin(_ number: UInt64, _ isNew: Bool) {
    do throws(AnnalsError) {
      try watch()
      if isNew {
        let pass = ViewPass<Event>(number)
        threads.withLock { $0.passes[number] = pass }
        do throws(AnnalsError) { try pass.start(for: self) } catch {
          threads.withLock { $0.passes[number] = nil }
          throw error
        }
      } else {
        // A pass that waits for a commit checks again.
        core.place.commits.announce()
      }
    } catch {
      fail(number, error)
    }
  }

  private func watch() throws(AnnalsError) {
    if threads.withLock({ $0.watch != nil }) { return }
    let watch = try core.watch()
    threads.withLock { $0.watch = watch }
  }

  /// Adds a runner to a pass again, after a position.
  func rejoin(_ track: ViewTrack<Event>, after position: UInt64) {
    table.withLock { _ = $0.leave(track) }
    join(track, after: position)
  }

  /// Moves a runner that delays others to a pass of its own.
  ///
  /// - Returns: `false` if it has left already.
  func detach(_ track: ViewTrack<Event>, after position: UInt64) -> Bool {
    guard let number = table.withLock({ $0.detach(track, after: position) }) else { return false }
    begin(number, true)
    return true
  }

  /// Returns the next step of a pass; `nil` if it has ended.
  func step(of number: UInt64) -> PassTable<Event>.Step? {
    guard !isOver, let step = table.withLock({ $0.step(of: number) }) else {
      // The thread that closes the engine may be waiting for this thread.
      threads.withLock { threads in
        if !isOver { threads.passes[number] = nil }
      }
      return nil
    }
    return step
  }

  /// Records the position up to which a pass has read.
  func passed(_ number: UInt64, _ page: ViewPage<Event>, _ old: UInt64) {
    let new = page.failure?.position.rawValue ?? page.end.position.rawValue
    table.withLock { $0.passed(number, from: old, to: new, isLast: page.isLast) }
  }

  /// Moves the runners of a pass at the end of the log to the one that follows it.
  func merge(_ number: UInt64) -> Bool {
    table.withLock { $0.merge(number) }
  }

  /// Stops all runners of a pass, because the log cannot be read.
  func fail(_ number: UInt64, _ error: AnnalsError) {
    for track in table.withLock({ $0.end(number) }) {
      track.stop(because: error)
      stopped(track)
    }
  }

  /// Whether a runner follows the end of the log.
  func isLive(_ track: ViewTrack<Event>) -> Bool {
    table.withLock { $0.isLive(track) }
  }

  /// Returns a page that ends before a position that cannot be folded.
  func cut(_ page: ViewPage<Event>, before position: UInt64) throws(AnnalsError) -> ViewPage<Event> {
    let snapshot = try LogSnapshot(core)
    let end = try snapshot.reader.checkpoint(at: Position(position - 1), log: core.log)
    return ViewPage(
      start: page.start, end: end, entries: page.entries.filter { $0.position.rawValue < position },
      isLast: false)
  }
}

// Reports from the threads of runners.
extension ViewEngine {
  /// Handles a runner that has stopped.
  func stopped(_ track: ViewTrack<Event>) {
    table.withLock { _ = $0.leave(track) }
    track.pages.end()
    track.line.changes.announce()
    // The file that it was to replace may have to be followed again.
    chores.announce()
  }

  /// Handles the end of a runner's thread, which may have rejoined a pass after its removal.
  func ended(_ track: ViewTrack<Event>) {
    table.withLock { _ = $0.leave(track) }
  }

  /// Records that a machine has no running fold, for a reason that may pass.
  func reportTransient(_ line: ViewLine<Event>, _ error: AnnalsError) {
    line.state.withLock { $0.error = error }
    line.changes.announce()
    chores.announce()
  }

  /// Removes a runner, and waits until its thread has ended. Never call it while files are being chosen,
  /// because the thread may be waiting for that.
  func retire(_ track: ViewTrack<Event>) {
    table.withLock { _ = $0.leave(track) }
    track.end()
    // Its thread may have rejoined a pass meanwhile.
    table.withLock { _ = $0.leave(track) }
    track.line.state.withLock { state in state.tracks.removeAll { $0 === track } }
  }

  /// Removes the stopped runners of a machine.
  ///
  /// - Returns: Whether there were any.
  @discardableResult
  func retireStopped(of line: ViewLine<Event>) -> Bool {
    let stopped = line.state.withLock { $0.tracks }.filter { $0.error != nil }
    for track in stopped { retire(track) }
    return !stopped.isEmpty
  }
}

// The thread that maintains files.
extension ViewEngine {
  private static var rest: Int { 100_000_000 }

  /// Makes sure that a thread maintains files that others fold, and files to be removed.
  func keep() throws(AnnalsError) {
    if access == .readOnly { return }
    try threads.withLock { (threads) throws(AnnalsError) in
      // A close of the engine has already taken the thread that existed.
      if threads.keeper != nil || isOver { return }
      threads.keeper = try files { () throws(StoreFileError) in
        try WriterThread(name: "annals-keeper") { [self] in
          while true {
            // Read before any check, so that no later announcement is missed.
            let known = chores.count
            if isOver { return }
            let isIdle = maintain()
            chores.wait(beyond: known, upTo: isIdle ? 36_000 * Self.rest : Self.rest)
          }
        }
      }
    }
  }
}
