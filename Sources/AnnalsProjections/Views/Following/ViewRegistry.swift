internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

/// The views of one log and plan in this process: their machines, files and runners, and the threads that
/// read the log and fold.
///
/// There are two locks. ``catalog`` is held while files are chosen, created, replaced or removed. ``desk`` is
/// held for moments, also inside ``catalog``. The desk is a value whose methods take no lock, so the order is
/// always the same.
///
/// Threads hold the registry. Users of views hold ``OpenViews``, whose end ends the threads.
final class ViewRegistry<Event: SchemaEvent>: Sendable {
  let core: LogCore
  let resolver: PlanResolver
  let access: StoreOptions.Access
  let trust: StoreOptions.Trust
  let pace: ViewPace
  let budget: ViewBudget
  /// The files of the views.
  let catalog = Mutex(Catalog())
  /// The state in memory.
  let desk: Monitor<ViewDesk<Event>>
  /// The signal that wakes the thread that maintains files.
  let chores = Signal()
  private let isOver = Atomic(false)

  /// The state of the files.
  struct Catalog: Sendable {
    struct WeakFile: Sendable {
      weak var file: ViewFile?
    }

    /// The views, in the order of their registration.
    var views: [RegisteredView<Event>] = []
    /// The files that are open here.
    var opened: [UInt64: WeakFile] = [:]
    /// Replaced files that are still open elsewhere.
    var pendingRemovals: Set<UInt64> = []
    /// The rows of earlier versions with which new files begin.
    var seeds: [UInt64: RowSeed] = [:]
  }

  init(
    _ core: LogCore, _ resolver: PlanResolver, _ options: StoreOptions, _ budget: ViewBudget
  ) {
    self.budget = budget
    self.core = core
    self.resolver = resolver
    access = options.access
    trust = options.trust
    pace = options.viewPace
    desk = Monitor(ViewDesk(resolver.plan))
  }

  /// Whether the registry is ending.
  var isEnding: Bool { isOver.load(ordering: .acquiring) }

  /// Ends all threads, and waits for them. Folded rows are stored first.
  func close() {
    isOver.store(true, ordering: .releasing)
    chores.announce()
    let views = catalog.withLock { $0.views }
    for view in views {
      for effect in decide(.closed, view) { carryOut(effect, view) }
    }
    change { $0.close() }
    core.place.commits.announce()
    while true {
      // A thread may start another one before it ends.
      let threads = desk.withLock { desk in
        defer { desk.threads = [:] }
        return desk.threads
      }
      if threads.isEmpty { break }
      for thread in threads.values { thread.join() }
    }
    catalog.withLock { $0 = Catalog() }
    desk.withLock { desk in
      desk.views = [:]
      desk.watch = nil
    }
    for view in views { view.changes.announce() }
  }
}

// Events and effects.
extension ViewRegistry {
  /// Changes the desk, and wakes the threads that wait for it.
  @discardableResult
  func change<Result>(_ body: (inout ViewDesk<Event>) -> Result) -> Result {
    let (result, wakes, needsWorker) = desk.withLock { desk in
      let result = body(&desk)
      return (result, desk.sleepers > 0, desk.turns.claimWorker())
    }
    if wakes { desk.wake() }
    if needsWorker { startWorker() }
    return result
  }

  /// Reports an event to the machine of a view.
  func decide(_ event: ViewEvent, _ view: RegisteredView<Event>) -> [ViewEffect] {
    desk.withLock { $0.decide(event, view.number) }
  }

  /// Reports an event to the machine of a view, and performs the effects.
  func report(_ event: ViewEvent, _ view: RegisteredView<Event>) {
    for effect in decide(event, view) { carryOut(effect, view) }
  }

  /// Performs an effect. An error is reported to the machine.
  func carryOut(_ effect: ViewEffect, _ view: RegisteredView<Event>) {
    switch effect {
    case .choose, .begin, .build:
      do throws(AnnalsError) { try carryOutInFiles(effect, view) } catch {
        // A build that fails reports that itself.
        if case .build = effect { return }
        if case .choose = effect, error.recovery == [.retry] { return report(.buildFailed(error), view) }
        _ = decide(.checked(error), view)
        view.changes.announce()
        tend()
      }
    case .convert(let file): give(.convert, file, view)
    case .store(let file): give(.store, file, view)
    case .scan(let file, let position): scan(file, view, after: position)
    case .pause(let file):
      change { desk in
        if let runner = desk.views[view.number]?.runners[file] { desk.pause(runner.number) }
      }
    case .retry(let file, let pause): later(.report(.due(file), view: view.number), after: pause)
    case .retryBuild(let pause): later(.report(.buildDue, view: view.number), after: pause)
    case .end(let file, let stores):
      change { desk in
        guard let runner = desk.views[view.number]?.runners.removeValue(forKey: file) else { return }
        desk.give(stores ? .end : .drop, to: runner.number)
      }
    case .release: release(view)
    case .announce: view.changes.announce()
    case .tend: tend()
    // Only runners get these.
    case .fold, .wait, .finish, .compare, .replace: break
    }
  }

  private func give(_ task: RunnerTasks, _ file: UInt64, _ view: RegisteredView<Event>) {
    change { desk in
      if let runner = desk.views[view.number]?.runners[file] { desk.give(task, to: runner.number) }
    }
  }

  /// Does something after a pause, on the thread that maintains files.
  func later(_ kind: ViewTimer.Kind, after pause: Duration) {
    if desk.withLock({ $0.add(kind, after: pause) }) { chores.announce() }
  }

  /// Has the checkpoints of a view that wait to be stored stored soon.
  func hurry(_ view: RegisteredView<Event>) {
    change { desk in
      guard let record = desk.views[view.number] else { return }
      for (file, runner) in record.runners where record.machine.folds[file]?.waiting != nil {
        desk.give(.store, to: runner.number)
      }
    }
  }

  /// Has the files checked soon.
  func tend() {
    desk.withLock { $0.check() }
    chores.announce()
  }
}
