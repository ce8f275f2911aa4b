internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

/// One scan of the log, for all views at about the same place.
///
/// The desk knows its runners and its position; this only reads. It is used by one thread.
struct ViewScan<Event: SchemaEvent> {
  /// The time for which a runner at the end of the log may delay others, in nanoseconds.
  private static var patience: Int { 100_000_000 }
  /// The time to wait for a commit before checking for one, in nanoseconds.
  private static var rest: Int { 500_000_000 }

  private let number: UInt64
  private let registry: ViewRegistry<Event>
  private var reading: ViewReading<Event>

  init(_ number: UInt64, _ registry: ViewRegistry<Event>) {
    self.number = number
    self.registry = registry
    reading = ViewReading(registry)
  }

  /// The action after a page.
  private enum Next {
    case page
    /// The next page, once there is a new commit.
    case commit
    /// The same page again, a little later.
    case pause
    /// The scan has no runner any more.
    case end
  }

  /// Reads until the scan has no runner any more.
  mutating func run() {
    while true {
      // Read before the step, so that runners that join and commits that come after it are not waited for.
      let known = registry.core.place.commits.count
      switch turn() {
      case .page: break
      case .commit:
        reading.free()
        registry.core.place.commits.wait(beyond: known, upTo: Self.rest)
      case .pause: WriterThread.pause(milliseconds: 50)
      case .end: return
      }
    }
  }

  /// Reads a page and hands it on. It is a separate function, so that no runner and no file is held while
  /// there is nothing to do.
  @inline(never) private mutating func turn() -> Next {
    let number = number
    guard !registry.isEnding, let step = registry.desk.withLock({ $0.scans.step(of: number) }) else {
      return .end
    }
    let page: ViewPage<Event>
    do throws(AnnalsError) { page = try reading.page(after: step.position, step.wanted) } catch {
      if error.recovery == [.retry] { return .pause }
      registry.fail(number, error)
      return .page
    }
    let isEmpty = page.end.position.rawValue == step.position && page.failure == nil
    if !isEmpty || !step.haveSeenEnd { hand(page, step) }
    let new = page.failure?.position.rawValue ?? page.end.position.rawValue
    registry.desk.withLock { $0.scans.passed(number, from: step.position, to: new, isLast: page.isLast) }
    reading.keep(page)
    return page.isLast && !registry.desk.withLock({ $0.scans.merge(number) }) ? .commit : .page
  }

  private func hand(_ page: ViewPage<Event>, _ step: ScanTable.Step) {
    let mayLeave = step.isLive && step.runners.count > 1
    for runner in registry.change({ $0.hand(page, to: step.runners) }) {
      while !registry.hand(page, to: runner, upTo: mayLeave ? Self.patience : Self.rest),
        !registry.isEnding
      {
        // A runner slower than the others leaves the scan until it has caught up.
        if mayLeave, registry.detach(runner, after: page.start) { break }
      }
    }
  }
}

extension ViewRegistry {
  /// Has the log read for a file after a position.
  func scan(_ file: UInt64, _ view: RegisteredView<Event>, after position: UInt64) {
    if isEnding { return }
    let cases = view.projection.selection.cases
    let found = change { desk -> (number: UInt64, isNew: Bool)? in
      guard let runner = desk.views[view.number]?.runners[file] else { return nil }
      desk.pause(runner.number)
      return desk.scans.join(ScanTable.Member(number: runner.number, cases: cases), after: position)
    }
    if let found { begin(found) }
  }

  /// Moves a runner that delays others to another scan.
  ///
  /// - Returns: `false` if it has left already.
  fileprivate func detach(_ runner: Int, after position: UInt64) -> Bool {
    guard let found = desk.withLock({ $0.scans.detach(runner, after: position) }) else { return false }
    begin(found)
    return true
  }

  private func begin(_ scan: (number: UInt64, isNew: Bool)) {
    do throws(AnnalsError) {
      if !desk.withLock({ $0.watch != nil }) {
        let watch = try core.watch()
        desk.withLock { $0.watch = watch }
      }
      if scan.isNew {
        try start("annals-scan") { [self] in
          var reader = ViewScan(scan.number, self)
          reader.run()
        }
      } else {
        // A scan that waits for a commit checks again.
        core.place.commits.announce()
      }
    } catch {
      fail(scan.number, error)
    }
  }

  /// Stops all runners of a scan, because the log cannot be read.
  func fail(_ scan: UInt64, _ error: AnnalsError) {
    let runners = desk.withLock { desk in
      desk.scans.end(scan).compactMap { desk.slots[$0]?.runner }
    }
    for runner in runners { report(.logFailed(runner.file.number, error), runner.view) }
  }

  /// Whether a runner follows the end of the log.
  func isLive(_ runner: ViewRunner<Event>) -> Bool {
    desk.withLock { $0.scans.isLive(runner.number) }
  }
}
