internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

/// One view in the state of a registry: its machine, and the files and runners that the machine knows by
/// number.
struct ViewRecord<Event: SchemaEvent>: Sendable {
  let view: RegisteredView<Event>
  var machine: ViewMachine
  /// The file that reads use; `nil` if there is none yet.
  var served: ServedView?
  /// The file that is being built, by this process or another.
  var building: ViewFile?
  /// The runners of this process, by file.
  var runners: [UInt64: ViewRunner<Event>] = [:]
  /// The time of the last choice of its files.
  var chosen = ContinuousClock.now
}

/// A runner, and the work that waits for it.
struct RunnerSlot<Event: SchemaEvent>: Sendable {
  let runner: ViewRunner<Event>
  var pages: [ViewPage<Event>] = []
  /// The tasks besides the pages.
  var tasks: RunnerTasks = []
}

/// The tasks of a runner besides its pages.
struct RunnerTasks: OptionSet, Sendable {
  let rawValue: UInt8
  /// Convert the rows of an earlier version.
  static let convert = RunnerTasks(rawValue: 1)
  /// Store the end of the page that waits.
  static let store = RunnerTasks(rawValue: 2)
  /// Free the memory of rows that it keeps.
  static let free = RunnerTasks(rawValue: 4)
  /// Store the end of the page that waits, and release the file.
  static let end = RunnerTasks(rawValue: 8)
  /// Release the file.
  static let drop = RunnerTasks(rawValue: 16)

  /// Whether the runner ends with them.
  var isLast: Bool { !isDisjoint(with: [.end, .drop]) }
}

/// What the thread that maintains files does at a time.
struct ViewTimer: Sendable {
  enum Kind: Sendable {
    /// Report an event to the machine of a view.
    case report(ViewEvent, view: Int)
    /// Free the memory of a runner that has had nothing to do.
    case free(runner: Int)
  }

  let time: ContinuousClock.Instant
  let kind: Kind
}

/// The state of a registry in memory: the views, the scans of the log, and the runners with their work.
///
/// Its lock is held for moments only. Its methods only change values: they take no lock, and touch no file.
struct ViewDesk<Event: SchemaEvent>: Sendable {
  /// The most pages that wait for a runner.
  static var room: Int { 3 }

  var views: [Int: ViewRecord<Event>] = [:]
  var scans: ScanTable
  private(set) var slots: [Int: RunnerSlot<Event>] = [:]
  /// The runners' turns, and the threads that take them.
  var turns = TurnQueue()
  private var timers: [ViewTimer] = []
  /// The time at which the thread that maintains files looks for timers next.
  private var nextLook = ContinuousClock.now
  /// Whether the files are to be checked.
  private var isToCheck = false
  /// The threads that wait for a change.
  var sleepers = 0
  /// Whether the registry is ending.
  private(set) var isOver = false
  /// The threads, which can be joined.
  var threads: [Int: WriterThread] = [:]
  /// Whether the thread that maintains files was started.
  var isKept = false
  /// The open directory of the views' files.
  weak var directory: Directory?
  /// The open file of observers' marks.
  weak var marks: FileMarks?
  /// The watch of the log's commits, from the first scan on.
  var watch: CommitWatch?
  private var numbers = 0

  init(_ plan: CompiledPlan) {
    scans = ScanTable(plan)
  }

  /// Returns a number that no view and no runner of the registry has.
  mutating func number() -> Int {
    numbers += 1
    return numbers
  }

  /// Reports an event to a view's machine; a view that was removed has no effects.
  mutating func decide(_ event: ViewEvent, _ view: Int) -> [ViewEffect] {
    views[view]?.machine.handle(event) ?? []
  }
}

// The runners and their work.
extension ViewDesk {
  /// Adds a runner, which has nothing to do yet.
  mutating func add(_ runner: ViewRunner<Event>) {
    slots[runner.number] = RunnerSlot(runner: runner)
    views[runner.view.number]?.runners[runner.file.number] = runner
  }

  /// Gives a runner a task.
  mutating func give(_ task: RunnerTasks, to runner: Int) {
    guard slots[runner]?.tasks.isLast == false else { return }
    slots[runner]?.tasks.insert(task)
    if task.isLast {
      slots[runner]?.pages = []
      scans.leave(runner)
    }
    turns.add(runner)
  }

  /// Takes the pages of a runner away, which reads no more of the log.
  mutating func pause(_ runner: Int) {
    scans.leave(runner)
    slots[runner]?.pages = []
  }

  /// Gives runners a page.
  ///
  /// - Returns: The runners that have no room for it.
  mutating func hand(_ page: ViewPage<Event>, to runners: [Int]) -> [Int] {
    var full: [Int] = []
    for runner in runners {
      guard let slot = slots[runner], !slot.tasks.isLast else { continue }
      guard slot.pages.count < Self.room else {
        full.append(runner)
        continue
      }
      slots[runner]?.pages.append(page)
      turns.add(runner)
    }
    return full
  }

  /// Whether a runner is to end.
  func isEnding(_ runner: Int) -> Bool { slots[runner]?.tasks.isLast ?? true }

  /// The work of one turn of a runner.
  struct Turn: Sendable {
    let runner: ViewRunner<Event>
    let tasks: RunnerTasks
    let page: ViewPage<Event>?
  }

  /// Takes the next runner for a worker; `nil` if there is none.
  mutating func takeTurn() -> Turn? {
    guard let number = turns.next(at: .now), let slot = slots[number] else { return nil }
    slots[number]?.tasks = slot.tasks.intersection([.end, .drop])
    return Turn(runner: slot.runner, tasks: slot.tasks, page: takePage(number))
  }

  /// Takes the page that has waited longest for a runner; `nil` if there is none.
  mutating func takePage(_ runner: Int) -> ViewPage<Event>? {
    guard let pages = slots[runner]?.pages, !pages.isEmpty else { return nil }
    return slots[runner]?.pages.removeFirst()
  }

  /// Ends the turn of a runner.
  ///
  /// - Returns: The tasks of a runner that ends with this turn; `nil` if it goes on.
  mutating func endTurn(_ runner: ViewRunner<Event>) -> RunnerTasks? {
    guard let slot = slots[runner.number] else { return nil }
    // The last task is done by the worker that has the runner.
    if slot.tasks.isLast { return slot.tasks }
    turns.end(runner.number, at: .now)
    if !slot.pages.isEmpty || !slot.tasks.isEmpty { turns.add(runner.number) }
    return nil
  }

  /// Removes a runner that a worker has ended.
  mutating func remove(_ runner: ViewRunner<Event>) {
    turns.remove(runner.number)
    slots[runner.number] = nil
    scans.leave(runner.number)
  }

  /// Ends the registry and every runner, also one that no machine knows, so that the threads end.
  mutating func close() {
    isOver = true
    for runner in slots.keys { give(.drop, to: runner) }
  }

  /// Whether the threads that fold have nothing left to do, and will not have.
  var isDone: Bool { isOver && slots.isEmpty }
}

// What the thread that maintains files does, and when.
extension ViewDesk {
  /// Adds a timer.
  ///
  /// - Returns: Whether the thread that maintains files has to wake for it.
  mutating func add(_ kind: ViewTimer.Kind, after pause: Duration) -> Bool {
    let time = ContinuousClock.now + pause
    timers.append(ViewTimer(time: time, kind: kind))
    guard time < nextLook else { return false }
    nextLook = time
    return true
  }

  /// Has the files checked soon.
  mutating func check() { isToCheck = true }

  /// Whether the files are to be checked, as of the last call.
  mutating func takeCheck() -> Bool {
    defer { isToCheck = false }
    return isToCheck
  }

  /// Takes the timers whose time has come, and notes when to look again.
  ///
  /// - Parameter rest: The longest time until then.
  mutating func takeDue(within rest: Duration) -> (due: [ViewTimer.Kind], next: ContinuousClock.Instant) {
    let now = ContinuousClock.now
    let due = timers.filter { $0.time <= now }.map(\.kind)
    timers.removeAll { $0.time <= now }
    nextLook = min(now + rest, timers.map(\.time).min() ?? now + rest)
    return (due, nextLook)
  }
}
