internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

// The threads that fold.
extension ViewRegistry {
  /// Starts a thread, which is joined when the registry ends.
  func start(_ name: String, _ work: @escaping @Sendable () -> Void) throws(AnnalsError) {
    let number = desk.withLock { $0.number() }
    let thread = try files { () throws(StoreFileError) in
      try WriterThread(name: name) { [self] in
        work()
        // The thread that ends the registry may be waiting for this one.
        desk.withLock { desk in
          if !desk.isOver { desk.threads[number] = nil }
        }
      }
    }
    desk.withLock { $0.threads[number] = thread }
  }

  /// Starts a thread that the desk has counted.
  func startWorker() {
    do throws(AnnalsError) {
      try start("annals-view") { [self] in
        while work() {}
        desk.withLock { $0.turns.endWorker() }
      }
    } catch {
      // The other threads do its work; the first one is started when a view is opened.
      desk.withLock { $0.turns.endWorker() }
    }
  }

  /// Starts the first thread that folds, so that a lack of threads is an error of the open.
  func startFirstWorker() throws(AnnalsError) {
    guard desk.withLock({ $0.turns.claimFirstWorker() }) else { return }
    do throws(AnnalsError) {
      try start("annals-view") { [self] in
        while work() {}
        desk.withLock { $0.turns.endWorker() }
      }
    } catch {
      desk.withLock { $0.turns.endWorker() }
      throw error
    }
  }

  /// Does one turn of a runner. It is a separate function, so that no runner and no file is held while there
  /// is nothing to do.
  ///
  /// - Returns: Whether there may be more to do.
  @inline(never) private func work() -> Bool {
    guard let turn = waiting({ $0.wait { desk in Self.next(&desk) } }) else { return false }
    if turn.page != nil { wakeOthers() }
    if !turn.tasks.isLast { turn.runner.turn(turn.tasks, turn.page) }
    guard let last = change({ $0.endTurn(turn.runner) }) else { return true }
    turn.runner.end(last)
    change { $0.remove(turn.runner) }
    return true
  }

  /// Returns the next turn, or `.some(nil)` if there will be none.
  private static func next(_ desk: inout ViewDesk<Event>) -> ViewDesk<Event>.Turn?? {
    if let turn = desk.takeTurn() { return .some(turn) }
    return desk.isDone ? .some(nil) : nil
  }

  /// Counts the calling thread as one that waits for a change of the desk.
  private func waiting<Result>(_ body: (Monitor<ViewDesk<Event>>) -> Result) -> Result {
    desk.withLock { $0.sleepers += 1 }
    defer { desk.withLock { $0.sleepers -= 1 } }
    return body(desk)
  }

  /// Whether a runner continues to fold.
  func goesOn(_ runner: ViewRunner<Event>) -> Bool {
    desk.withLock { desk in
      desk.views[runner.view.number]?.machine.folds[runner.file.number]?.isFolding == true
        && !desk.isEnding(runner.number)
    }
  }

  private func wakeOthers() {
    if desk.withLock({ $0.sleepers > 0 }) { desk.wake() }
  }

  /// Takes a further page for the batch of a runner.
  ///
  /// - Parameter nanoseconds: The longest time to wait for one. The wait ends early if other runners need the
  ///   thread.
  func page(for runner: ViewRunner<Event>, upTo nanoseconds: Int) -> ViewPage<Event>? {
    var page = desk.withLock { $0.takePage(runner.number) }
    if page == nil, nanoseconds > 0 {
      page = waiting { desk in
        desk.wait(upTo: nanoseconds) { desk -> ViewPage<Event>?? in
          if let page = desk.takePage(runner.number) { return .some(page) }
          return desk.turns.isCrowded || desk.isEnding(runner.number) ? .some(nil) : nil
        } ?? nil
      }
    }
    if page != nil { wakeOthers() }
    return page
  }

  /// Gives a runner a page as soon as it has room.
  ///
  /// - Parameter nanoseconds: The longest time to wait.
  /// - Returns: `false` if it had no room in that time.
  func hand(_ page: ViewPage<Event>, to runner: Int, upTo nanoseconds: Int) -> Bool {
    let isHanded = waiting { desk in
      desk.wait(upTo: nanoseconds) { desk in desk.hand(page, to: [runner]).isEmpty ? true : nil } ?? false
    }
    // The page may have to be folded by another thread.
    change { _ in }
    return isHanded
  }
}

// The thread that maintains files.
extension ViewRegistry {
  private static var rest: Duration { .milliseconds(100) }
  private static var longRest: Duration { .seconds(3_600) }

  /// Makes sure that a thread maintains files that others fold, and files to be removed.
  func keep() throws(AnnalsError) {
    if access == .readOnly || isEnding { return }
    try startFirstWorker()
    let isFirst = desk.withLock { desk in
      defer { desk.isKept = true }
      return !desk.isKept
    }
    guard isFirst else { return }
    do throws(AnnalsError) {
      try start("annals-keeper") { [self] in maintainFiles() }
    } catch {
      desk.withLock { $0.isKept = false }
      throw error
    }
  }

  private func maintainFiles() {
    var isIdle = false
    var nextCheck = ContinuousClock.now
    while true {
      // Read before any check, so that no later announcement is missed.
      let known = chores.count
      if isEnding { return }
      let isAsked = desk.withLock { $0.takeCheck() }
      if isAsked || (!isIdle && ContinuousClock.now >= nextCheck) {
        isIdle = maintain()
        nextCheck = .now + Self.rest
      }
      let rest = isIdle ? Self.longRest : ContinuousClock.now.duration(to: nextCheck)
      let (due, next) = desk.withLock { $0.takeDue(within: rest) }
      for kind in due { carryOut(kind) }
      let pause = max(ContinuousClock.now.duration(to: next), .zero).components
      chores.wait(
        beyond: known, upTo: Int(pause.seconds) * 1_000_000_000 + Int(pause.attoseconds / 1_000_000_000))
    }
  }

  private func carryOut(_ kind: ViewTimer.Kind) {
    switch kind {
    case .report(let event, let number):
      if let view = desk.withLock({ $0.views[number]?.view }) { report(event, view) }
    case .free(let runner): change { $0.give(.free, to: runner) }
    }
  }
}
