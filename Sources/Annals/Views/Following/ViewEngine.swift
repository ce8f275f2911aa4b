internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

/// What folds the views of one log and plan in this process: passes through the log, a thread for each view, and one that looks after files.
///
/// Threads hold this; who uses views holds a ``ViewHost``, whose end ends the threads.
final class ViewEngine<Event: SchemaEvent>: Sendable {
  let core: LogCore
  let reach: PlanReach
  let access: StoreOptions.Access
  let pace: ViewPace
  /// Held while files are chosen; never inside ``table``.
  let settling = Mutex(Settling())
  private let table: Mutex<PassTable<Event>>
  private let threads = Mutex(Threads())
  private let over = Atomic(false)
  /// What wakes the thread that looks after files.
  let chores = Signal()

  /// What is known of files.
  struct Settling: Sendable {
    var lines: [ViewLine<Event>] = []
    /// Files that are done with, and that somebody else still has open.
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

  init(_ core: LogCore, _ reach: PlanReach, _ access: StoreOptions.Access, _ pace: ViewPace) {
    self.core = core
    self.reach = reach
    self.access = access
    self.pace = pace
    table = Mutex(PassTable(reach.plan))
  }

  /// Whether the engine is being ended.
  var isOver: Bool { over.load(ordering: .acquiring) }

  /// Ends all threads, and waits for them; what is folded by then is stored.
  func close() {
    over.store(true, ordering: .releasing)
    chores.announce()
    // It could begin what is ended here.
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
  /// Lets a track be read for behind a position.
  func join(_ track: ViewTrack<Event>, behind position: UInt64) {
    if isOver { return }
    let (number, isNew) = table.withLock { $0.join(track, behind: position) }
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
        // One that waits for a commit looks again.
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

  /// Lets a track be read for again, behind a position.
  func rejoin(_ track: ViewTrack<Event>, behind position: UInt64) {
    table.withLock { _ = $0.leave(track) }
    join(track, behind: position)
  }

  /// Lets a track that keeps others waiting go on by itself.
  ///
  /// - Returns: `false` where it has left already.
  func detach(_ track: ViewTrack<Event>, behind position: UInt64) -> Bool {
    guard let number = table.withLock({ $0.detach(track, behind: position) }) else { return false }
    begin(number, true)
    return true
  }

  /// What a pass does next; `nil` where it has ended.
  func step(of number: UInt64) -> PassTable<Event>.Step? {
    guard !isOver, let step = table.withLock({ $0.step(of: number) }) else {
      // Whoever closes the engine may be waiting for the thread that is here.
      threads.withLock { threads in
        if !isOver { threads.passes[number] = nil }
      }
      return nil
    }
    return step
  }

  /// Notes how far a pass has read.
  func passed(_ number: UInt64, _ page: ViewPage<Event>, _ old: UInt64) {
    let new = page.failure?.position.rawValue ?? page.end.position.rawValue
    table.withLock { $0.passed(number, from: old, to: new, isLast: page.isLast) }
  }

  /// Lets the tracks of a pass that has met the end of the log go on together with those that follow it.
  func merge(_ number: UInt64) -> Bool {
    table.withLock { $0.merge(number) }
  }

  /// Stops all who are on a pass, because the log cannot be read.
  func fail(_ number: UInt64, _ error: AnnalsError) {
    for track in table.withLock({ $0.end(number) }) {
      track.stop(because: error)
      stopped(track)
    }
  }

  /// Whether a track follows the end of the log.
  func isLive(_ track: ViewTrack<Event>) -> Bool {
    table.withLock { $0.isLive(track) }
  }

  /// A page that ends before a position which cannot be folded.
  func cut(_ page: ViewPage<Event>, before position: UInt64) throws(AnnalsError) -> ViewPage<Event> {
    let snapshot = try LogSnapshot(core)
    let end = try snapshot.reader.checkpoint(at: Position(position - 1), log: core.log)
    return ViewPage(
      start: page.start, end: end, entries: page.entries.filter { $0.position.rawValue < position },
      isLast: false)
  }
}

// What the threads of tracks report.
extension ViewEngine {
  /// A track goes no further.
  func stopped(_ track: ViewTrack<Event>) {
    table.withLock { _ = $0.leave(track) }
    track.pages.end()
    track.line.changes.announce()
    // What it was to take the place of may have to be followed again.
    chores.announce()
  }

  /// The thread of a track has ended, which may have come back to a pass after it was taken out.
  func ended(_ track: ViewTrack<Event>) {
    table.withLock { _ = $0.leave(track) }
  }

  /// A line has nothing that is folded, for a reason that may pass.
  func hindered(_ line: ViewLine<Event>, _ error: AnnalsError) {
    line.state.withLock { $0.error = error }
    line.changes.announce()
    chores.announce()
  }

  /// Takes a track out, and waits until its thread has ended; never while files are being chosen, which that may be waiting for.
  func retire(_ track: ViewTrack<Event>) {
    table.withLock { _ = $0.leave(track) }
    track.end()
    // Its thread may have come back to a pass meanwhile.
    table.withLock { _ = $0.leave(track) }
    track.line.state.withLock { state in state.tracks.removeAll { $0 === track } }
  }

  /// Takes the tracks of a line out that were stopped.
  ///
  /// - Returns: Whether there were any.
  @discardableResult
  func retireStopped(of line: ViewLine<Event>) -> Bool {
    let stopped = line.state.withLock { $0.tracks }.filter { $0.error != nil }
    for track in stopped { retire(track) }
    return !stopped.isEmpty
  }
}

// The thread that looks after files.
extension ViewEngine {
  private static var rest: Int { 100_000_000 }

  /// Makes sure that somebody looks after what others fold, and what is to be removed.
  func keep() throws(AnnalsError) {
    if access == .readOnly { return }
    try threads.withLock { (threads) throws(AnnalsError) in
      // Whoever closes the engine has taken the one that there was.
      if threads.keeper != nil || isOver { return }
      threads.keeper = try files { () throws(StoreFileError) in
        try WriterThread(name: "annals-keeper") { [self] in
          while true {
            // Before anything is looked at: what is announced behind that is not missed.
            let known = chores.count
            if isOver { return }
            let isIdle = lookAround()
            chores.wait(beyond: known, upTo: isIdle ? 36_000 * Self.rest : Self.rest)
          }
        }
      }
    }
  }
}
