internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

/// One pass through the log, for all views at about the same place.
///
/// The engine knows its runners and its position; this only reads.
final class ViewPass<Event: SchemaEvent>: Sendable {
  let number: UInt64
  private let thread = Mutex<WriterThread?>(nil)

  init(_ number: UInt64) {
    self.number = number
  }

  func start(for engine: ViewEngine<Event>) throws(AnnalsError) {
    let number = number
    let started = try files { () throws(StoreFileError) in
      try WriterThread(name: "annals-views") {
        var reader = PassReader(number, engine)
        reader.run()
      }
    }
    thread.withLock { $0 = started }
  }

  /// Waits until the thread has ended.
  func join() {
    let started = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    started?.join()
  }
}

/// The work of the thread of a pass.
struct PassReader<Event: SchemaEvent> {
  /// The number of pages kept until the runners have finished with them: those that may wait, and the first
  /// and last of a fold.
  private static var kept: Int { ViewTrack<Event>.room + 3 }
  /// The time for which a runner at the end of the log may delay others, in nanoseconds.
  private static var patience: Int { 100_000_000 }
  /// The time to wait for a commit before checking for one, in nanoseconds.
  private static var rest: Int { 500_000_000 }

  private let number: UInt64
  private let engine: ViewEngine<Event>
  private var reader: EntryReader
  private let limits: PageLimits
  /// The number of events of the last page.
  private var likely = 0
  /// The pages read last. They are freed here and not where they are folded: if one thread allocates and
  /// another frees, both wait for the allocator.
  private var recent: [ViewPage<Event>] = []

  init(_ number: UInt64, _ engine: ViewEngine<Event>) {
    self.number = number
    self.engine = engine
    reader = EntryReader(following: engine.core)
    limits = PageLimits(scanned: engine.pace.entries, elements: .max, bytes: engine.pace.bytes)
  }

  /// The action after a page.
  private enum Next {
    case page
    /// The next page, once there is a new commit.
    case commit
    /// The same page again, a little later.
    case pause
    /// The pass has no runner any more.
    case end
  }

  /// Reads until the pass has no runner any more.
  mutating func run() {
    while true {
      // Read before the step, so that runners that join and commits that come after it are not waited for.
      let known = engine.core.place.commits.count
      switch turn() {
      case .page: break
      case .commit:
        recent.removeAll()
        engine.core.place.commits.wait(beyond: known, upTo: Self.rest)
      case .pause: WriterThread.pause(milliseconds: 50)
      case .end: return
      }
    }
  }

  /// Reads a page and hands it on. It is a separate function, so that no runner and no file is held while
  /// there is nothing to do.
  @inline(never) private mutating func turn() -> Next {
    guard let step = engine.step(of: number) else { return .end }
    let page: ViewPage<Event>
    do throws(AnnalsError) { page = try read(after: step.position, step.wanted) } catch {
      if error.recovery == [.retry] { return .pause }
      engine.fail(number, error)
      return .page
    }
    let isEmpty = page.end.position.rawValue == step.position && page.failure == nil
    if !isEmpty || !step.haveSeenEnd {
      for track in step.tracks { hand(page, to: track, step) }
    }
    engine.passed(number, page, step.position)
    recent.append(page)
    if recent.count > Self.kept { recent.removeFirst() }
    return page.isLast && !engine.merge(number) ? .commit : .page
  }

  private func hand(_ page: ViewPage<Event>, to track: ViewTrack<Event>, _ step: PassTable<Event>.Step) {
    let mayLeave = step.isLive && step.tracks.count > 1
    while track.pages.hand(page, upTo: mayLeave ? Self.patience : Self.rest) == false, !engine.isOver {
      // A runner slower than the others gets a pass of its own until it has caught up.
      if mayLeave, engine.detach(track, after: page.start) { return }
    }
  }

  /// Reads the entries after a position that runners want.
  private mutating func read(
    after position: UInt64, _ wanted: Set<Int>?
  ) throws(AnnalsError) -> ViewPage<Event> {
    reader.move(to: position)
    let page: EntryPage<Entry<Event>> = try reader.events(
      limits, through: engine.reach, selecting: wanted, likely: likely)
    likely = page.elements.count
    let unreadable = page.end.unreadable
    // No entry is to blame: the whole page is read again, or no runner can continue.
    if let error = page.end.failure, unreadable == nil || error.recovery == [.retry] { throw error }
    guard let end = reader.checkpoint else { throw AnnalsError(missing: Position(position)) }
    return ViewPage(
      start: position, end: end, entries: page.elements, isLast: page.end.isLast && unreadable == nil,
      failure: unreadable)
  }
}
