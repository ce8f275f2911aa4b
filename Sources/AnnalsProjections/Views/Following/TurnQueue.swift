/// The runners that wait for a thread that folds, those that have one, and the number of threads.
///
/// A turn is one batch. A runner whose last turn took longer than a second is slow. While two slow runners
/// have threads, others do not take the last free thread. So any number of slow views leave threads to the
/// rest. A runner whose turn never ends keeps its thread: five of them leave one, and six stop all views of
/// the registry.
///
/// It only answers, and starts no thread.
struct TurnQueue: Sendable {
  /// The most threads that fold.
  static var mostWorkers: Int { 6 }
  /// The number of slow runners that may take any thread.
  private static var free: Int { 2 }
  /// The time after which a turn is slow.
  static var patience: Duration { .seconds(1) }

  /// The runners that wait, in order.
  private var waiting: [Int] = []
  /// The runners that have a thread, and the begin of their turns.
  private var taken: [Int: ContinuousClock.Instant] = [:]
  /// The runners whose last turn was slow.
  private var slow: Set<Int> = []
  /// The threads that fold.
  private(set) var workers = 0

  init() {}

  /// Has a runner wait for a thread, unless it waits already or has one.
  mutating func add(_ runner: Int) {
    if taken[runner] == nil, !waiting.contains(runner) { waiting.append(runner) }
  }

  /// Takes the next runner for a thread; `nil` if there is none.
  mutating func next(at now: ContinuousClock.Instant) -> Int? {
    let isFull = isFull
    guard let index = waiting.firstIndex(where: { !isFull || !slow.contains($0) }) else { return nil }
    let runner = waiting.remove(at: index)
    taken[runner] = now
    return runner
  }

  /// Ends the turn of a runner.
  mutating func end(_ runner: Int, at now: ContinuousClock.Instant) {
    guard let began = taken.removeValue(forKey: runner) else { return }
    if began.duration(to: now) > Self.patience { slow.insert(runner) } else { slow.remove(runner) }
  }

  /// Removes a runner.
  mutating func remove(_ runner: Int) {
    waiting.removeAll { $0 == runner }
    taken[runner] = nil
    slow.remove(runner)
  }

  /// Whether slow runners have to wait.
  private var isFull: Bool {
    taken.count + 1 >= Self.mostWorkers && taken.keys.count { slow.contains($0) } >= Self.free
  }

  /// Whether runners could have a thread and there is none.
  var isCrowded: Bool {
    // Most often nothing waits.
    if waiting.count <= workers - taken.count { return false }
    let isFull = isFull
    return waiting.count { !isFull || !slow.contains($0) } > workers - taken.count
  }

  /// Whether one more thread would have something to do.
  mutating func claimWorker() -> Bool {
    guard workers < Self.mostWorkers, isCrowded else { return false }
    workers += 1
    return true
  }

  /// Whether the first thread has to be started.
  mutating func claimFirstWorker() -> Bool {
    guard workers == 0 else { return false }
    workers = 1
    return true
  }

  /// Counts one thread less.
  mutating func endWorker() { workers -= 1 }
}
