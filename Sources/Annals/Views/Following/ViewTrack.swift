internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

/// The runner of one view in this process: its file, the pages that wait for it, and a thread that folds
/// them.
///
/// The thread ends with the runner; ending the runner waits for it.
final class ViewTrack<Event: SchemaEvent>: Sendable {
  /// The visible state of the runner.
  struct Shown: Sendable {
    /// The position up to which every entry is folded or does not concern the view.
    var position: UInt64
    /// The error that stopped it; `nil` while it runs.
    var error: AnnalsError?
    /// Whether it will try again by itself, or its file is about to be rebuilt.
    var isPassing = false
    /// The time and the position at which it began, for its rate.
    var began: (time: ContinuousClock.Instant, position: UInt64)
  }

  /// The machine of its projection.
  let line: ViewLine<Event>
  let file: ViewFile
  /// The most pages that wait.
  static var room: Int { 3 }
  /// The pages that wait.
  let pages = BoundedLine<ViewPage<Event>>(room: room)
  let shown: Mutex<Shown>
  /// Whether a waiter needs the checkpoint on disk.
  let isHurried = Atomic(false)
  /// The right to fold, held while the thread may do so.
  private let lease: Mutex<FoldLease?>
  private let thread = Mutex<WriterThread?>(nil)

  /// Creates a runner at a checkpoint.
  init(_ line: ViewLine<Event>, _ file: ViewFile, _ lease: FoldLease, at checkpoint: Checkpoint?) {
    self.line = line
    self.file = file
    self.lease = Mutex(lease)
    let position = checkpoint?.position.rawValue ?? 0
    shown = Mutex(Shown(position: position, began: (.now, position)))
  }

  var face: ProjectionFace<Event> { line.face }

  /// The error that stopped it; `nil` while it runs.
  var error: AnnalsError? { shown.withLock { $0.error } }

  /// The error that stopped it permanently; `nil` also if the cause may pass by itself.
  var lasting: AnnalsError? { shown.withLock { $0.isPassing ? nil : $0.error } }

  /// The position up to which every entry is folded.
  var position: UInt64 { shown.withLock { $0.position } }

  /// Begins to fold pages.
  func start(
    from checkpoint: Checkpoint?, _ seed: RowSeed?, for engine: ViewEngine<Event>
  ) throws(AnnalsError) {
    let started = try files { () throws(StoreFileError) in
      try WriterThread(name: "annals-view") { [self] in
        fold(from: checkpoint, seed, for: engine)
        engine.ended(self)
        // The stopped runner is kept to report the error; another program may be able to continue.
        lease.withLock { $0 = nil }
      }
    }
    thread.withLock { $0 = started }
  }

  private func fold(from checkpoint: Checkpoint?, _ seed: RowSeed?, for engine: ViewEngine<Event>) {
    let folder = ViewFolder(self, engine, at: checkpoint)
    if let seed, !folder.carry(seed) { return }
    folder.run()
  }

  /// Ends the thread, and waits until it has ended.
  func end() {
    pages.end()
    let started = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    started?.join()
  }

  /// Has the checkpoint stored soon, even if nothing else needs to be stored.
  func hurry() {
    isHurried.store(true, ordering: .releasing)
    pages.nudge()
  }

  /// Records that it has stopped.
  ///
  /// - Parameter isPassing: Whether it will try again by itself, or its file is about to be rebuilt.
  func stop(because error: AnnalsError, isPassing: Bool = false) {
    shown.withLock { shown in
      shown.error = error
      shown.isPassing = isPassing
    }
  }
}

/// The work of the thread of a runner.
final class ViewFolder<Event: SchemaEvent> {
  /// The most bytes that a batch stages.
  private static var most: Int { 32 << 20 }
  /// The time for which a checkpoint that has passed only hidden entries may stay unstored.
  private static var patience: Duration { .milliseconds(100) }
  private static var second: Int { 1_000_000_000 }

  private let track: ViewTrack<Event>
  private let engine: ViewEngine<Event>
  private let folding: ViewFolding<Event>
  /// The checkpoint up to which the file has read.
  private var stored: Checkpoint?
  /// The last page of hidden entries that it has read beyond that, and since when; `nil` if everything is
  /// stored.
  private var hidden: (page: ViewPage<Event>, since: ContinuousClock.Instant)?
  /// The position and the error of an entry that it cannot fold. It stops before that entry.
  private var poison: (position: UInt64, error: AnnalsError)?

  init(_ track: ViewTrack<Event>, _ engine: ViewEngine<Event>, at checkpoint: Checkpoint?) {
    self.track = track
    self.engine = engine
    folding = track.face.folding(track.file)
    stored = checkpoint
  }

  /// Folds until the runner ends.
  func run() {
    while true {
      switch track.pages.take(upTo: hidden == nil ? Self.second : 20_000_000) {
      case .end: return settleHidden()
      case .nothing:
        if let hidden,
          track.isHurried.exchange(false, ordering: .acquiring)
            || hidden.since.duration(to: .now) > Self.patience
        {
          guard take(hidden.page) else { return }
        }
      case .element(let page):
        guard take(page.seen(by: track.face.selection.cases)) else { return }
      }
    }
  }

  /// Begins with the rows of an earlier version, and then has the log read after their checkpoint.
  ///
  /// - Returns: Whether the thread continues.
  func carry(_ seed: RowSeed) -> Bool {
    do throws(AnnalsError) { stored = try folding.carry(seed) { engine.isOver } } catch { return stop(error) }
    if engine.isOver { return false }
    note(position)
    engine.join(track, after: position)
    return true
  }

  /// Stores the checkpoint up to which the view has read before it ends.
  private func settleHidden() {
    if let hidden { _ = fold(hidden.page) }
  }

  /// The position up to which every entry is folded or hidden.
  private var position: UInt64 { hidden?.page.end.position.rawValue ?? stored?.position.rawValue ?? 0 }

  /// Processes a page.
  ///
  /// - Returns: Whether the thread continues.
  private func take(_ page: ViewPage<Event>) -> Bool {
    let isHidden = hidden.map { $0.page === page } ?? false
    if !isHidden {
      // The page is of a pass that the runner has left, or overlaps another.
      guard page.start <= position else { return true }
      // An entry before the view's position that cannot be upcast was folded when it could be.
      let isBehind = page.failure.map { $0.position.rawValue <= position } ?? true
      if page.end.position.rawValue <= position, isBehind {
        if page.isLast, page.end.position.rawValue == position { return reach(page) }
        return true
      }
      // A built file takes over based on its stored checkpoint.
      let mayHide = track.file.isSynced.load(ordering: .relaxed) && page.failure == nil && poison == nil
      if mayHide, isEmpty(page), engine.isLive(track) {
        let since = hidden?.since ?? .now
        hidden = (page, since)
        note(page.end.position.rawValue)
        // While such pages keep coming, nothing else stores the checkpoint.
        let isHurried = track.isHurried.exchange(false, ordering: .acquiring)
        return isHurried || since.duration(to: .now) > Self.patience ? fold(page) : reach(page)
      }
    }
    return fold(page)
  }

  /// Whether a page has no entry for the view.
  private func isEmpty(_ page: ViewPage<Event>) -> Bool {
    let selection = track.face.selection
    return !page.entries.contains { $0.position.rawValue > position && selection.includes($0) }
  }

  private func note(_ position: UInt64) {
    track.shown.withLock { $0.position = position }
    track.line.changes.announce()
  }

  private func fold(_ first: ViewPage<Event>) -> Bool {
    var first = first
    if let poison, first.end.position.rawValue >= poison.position {
      do throws(AnnalsError) { first = try engine.cut(first, before: poison.position) } catch {
        return stop(error)
      }
    }
    var last = first
    let isBuilding = !track.file.isSynced.load(ordering: .relaxed)
    let end = ContinuousClock.now + (isBuilding ? engine.pace.building : engine.pace.live)
    let outcome: FoldOutcome
    do throws(FoldFailure) {
      outcome = try folding.fold(first, from: stored, isBuilding ? .none : .relaxed) { size in
        guard last.failure == nil, poison == nil, size < Self.most, ContinuousClock.now < end else {
          return nil
        }
        // While live, new entries are shown at once.
        while case .element(let taken) = track.pages.take(upTo: isBuilding && !last.isLast ? 20_000_000 : 0) {
          let page = taken.seen(by: track.face.selection.cases)
          // Pages that a batch cannot use come again with the next pass.
          if page.start > last.end.position.rawValue
            || page.end.position.rawValue < last.end.position.rawValue
          {
            continue
          }
          last = page
          return page
        }
        return nil
      }
    } catch {
      switch error {
      case .poison(let position, let error):
        // Earlier entries are folded again, and stored.
        poison = (position, error)
        hidden = nil
        if position == (stored?.position.rawValue ?? 0) + 1 { return stop(error) }
        engine.rejoin(track, after: stored?.position.rawValue ?? 0)
        return true
      case .other(let error):
        if error.recovery == [.retry] { return tryAgain(after: error) }
        guard error.isOfSpoiltView else { return stop(error) }
        track.stop(because: error, isPassing: true)
        engine.stopped(track)
        // The rows can be folded again from the log.
        do throws(AnnalsError) {
          try engine.rebuild(track.line, afterDamage: error)
        } catch {
          engine.reportTransient(track.line, error)
        }
        return false
      }
    }
    switch outcome {
    case .stored(let checkpoint):
      hidden = nil
      stored = checkpoint
      track.file.commits.announce()
      note(checkpoint.position.rawValue)
      if let poison, checkpoint.position.rawValue + 1 >= poison.position { return stop(poison.error) }
      if let failure = last.failure { return stop(failure.error) }
      return reach(last)
    case .elsewhere(let checkpoint):
      // The other folder may have passed the entry that could not be folded here.
      (hidden, poison) = (nil, nil)
      stored = checkpoint
      engine.rejoin(track, after: checkpoint?.position.rawValue ?? 0)
      return true
    case .succeeded:
      engine.succeeded(track)
      return false
    }
  }

  /// Waits after a failure that may pass, such as a full disk, and continues after the stored checkpoint.
  ///
  /// - Returns: Whether the thread continues.
  private func tryAgain(after error: AnnalsError) -> Bool {
    hidden = nil
    track.stop(because: error, isPassing: true)
    track.line.changes.announce()
    let end = ContinuousClock.now + .seconds(1)
    while ContinuousClock.now < end {
      // Pages that come meanwhile come again.
      if case .end = track.pages.take(upTo: 100_000_000) { return false }
    }
    track.shown.withLock { shown in
      shown.error = nil
      shown.isPassing = false
    }
    engine.rejoin(track, after: stored?.position.rawValue ?? 0)
    return true
  }

  /// Checks whether the view has caught up with the log.
  private func reach(_ page: ViewPage<Event>) -> Bool {
    guard page.isLast else { return true }
    do throws(AnnalsError) { try engine.reached(track, stored) } catch {
      // A second attempt repeats no step of the switch that must run only once.
      return error.recovery == [.retry] ? tryAgain(after: error) : stop(error)
    }
    return true
  }

  private func stop(_ error: AnnalsError) -> Bool {
    track.stop(because: error)
    engine.stopped(track)
    return false
  }
}
