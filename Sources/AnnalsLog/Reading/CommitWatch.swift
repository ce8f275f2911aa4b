package import AnnalsCoding
package import LMDB
import Synchronization

/// Announces every commit of a log, or of a view's file, of any process, while it is referenced.
///
/// Commits of this process are announced at once by their writers. Commits of other processes are not
/// announced: one thread of the process reads the numbers of the last ones, see ``CommitWatcher``.
package final class CommitWatch: Sendable {
  /// The signal that rises with every commit.
  let signal: Signal
  private let watcher: CommitWatcher
  private let number: Int

  /// Begins to watch.
  ///
  /// - Parameters:
  ///   - signal: The signal to raise. The first look raises it too, because a reader that began to wait
  ///     before it cannot know of earlier commits.
  ///   - current: The file in use, and a number that no other file has.
  package init(
    _ signal: Signal, _ current: @escaping @Sendable () -> (number: UInt64, environment: Environment)
  ) throws(AnnalsError) {
    self.signal = signal
    watcher = CommitWatcher.ofThisProcess
    number = try watcher.add(CommitWatcher.Watched(signal: signal, current: current))
  }

  deinit { watcher.remove(number) }
}

/// The thread of this process that looks for commits of other processes, for all that wait for them.
///
/// A look costs no system call except the rest after it (``WatchPace``). It looks at no more than a few files
/// at a time, so its cost is the same for any number of them.
private final class CommitWatcher: Sendable {
  /// A file, and the newest commit that was announced.
  struct Watched: Sendable {
    let signal: Signal
    let current: @Sendable () -> (number: UInt64, environment: Environment)
    var seen = Seen()

    init(
      signal: Signal, current: @escaping @Sendable () -> (number: UInt64, environment: Environment)
    ) {
      self.signal = signal
      self.current = current
    }
  }

  private struct State: Sendable {
    var watched: [(number: Int, file: Watched)] = []
    var numbers = 0
    /// The place of the next file to look at.
    var next = 0
    var pace = WatchPace()
    var isRunning = false
  }

  private let process = HomeProcess()
  /// The lock is held during a look, so that nothing uses a file after its removal.
  private let state = Mutex(State())
  private static let known = Mutex<CommitWatcher?>(nil)

  /// The watcher; the child of a fork has one of its own.
  static var ofThisProcess: CommitWatcher {
    known.withLock { known in
      if let watcher = known, !watcher.process.isLeft { return watcher }
      let watcher = CommitWatcher()
      known = watcher
      return watcher
    }
  }

  /// Adds a file.
  func add(_ file: Watched) throws(AnnalsError) -> Int {
    try state.withLock { (state) throws(AnnalsError) in
      if !state.isRunning {
        // It ends by itself when nothing is watched.
        let thread = try files { () throws(StoreFileError) in
          try WriterThread(name: "annals-watch") { [self] in run() }
        }
        thread.letGo()
        state.isRunning = true
      }
      state.numbers += 1
      state.pace.hurry()
      state.watched.append((state.numbers, file))
      return state.numbers
    }
  }

  /// Removes a file, which is not used any more.
  func remove(_ number: Int) {
    // The child of a fork has no thread, and a lock that it held would be held forever.
    if process.isLeft { return }
    let removed = state.withLock { state -> Watched? in
      guard let index = state.watched.firstIndex(where: { $0.number == number }) else { return nil }
      return state.watched.remove(at: index).file
    }
    withExtendedLifetime(removed) {}
  }

  private func run() {
    while let (moved, rest) = look() {
      for signal in moved { signal.announce() }
      WriterThread.pause(milliseconds: rest)
    }
  }

  /// Looks at the next files.
  ///
  /// - Returns: The signals of those that have moved, and the rest in milliseconds; `nil` if nothing is
  ///   watched, and the thread ends.
  private func look() -> (moved: [Signal], rest: UInt32)? {
    state.withLock { state in
      guard !state.watched.isEmpty else {
        state.isRunning = false
        return nil
      }
      var moved: [Signal] = []
      let count = min(WatchPace.most, state.watched.count)
      for _ in 0..<count {
        state.next = (state.next + 1) % state.watched.count
        let (number, environment) = state.watched[state.next].file.current()
        if state.watched[state.next].file.seen.hasMoved(number, environment) {
          moved.append(state.watched[state.next].file.signal)
        }
      }
      return (moved, state.pace.rest(after: count, hasMoved: !moved.isEmpty))
    }
  }
}

/// The newest commit that readers can see, and its file.
private struct Seen: Sendable {
  private var number: UInt64?
  private var commit: UInt64 = 0

  /// Whether readers see more than at the last look.
  ///
  /// A writer publishes its meta page, and waits for the disk, before it publishes the number at which
  /// snapshots begin. So after a new meta page, the watch looks again until snapshots have it. Readers
  /// announced to earlier would find nothing, and wait for the next commit.
  mutating func hasMoved(_ current: UInt64, _ environment: Environment) -> Bool {
    // An unreadable state is reported to the readers.
    guard let newest = try? environment.lastTransaction() else { return false }
    if current == number, newest == commit { return false }
    guard let visible = try? environment.read({ $0.id }) else { return true }
    if current == number, visible == commit { return false }
    (number, commit) = (current, visible)
    return true
  }
}

extension LogCore {
  /// Returns the watch that all followers of the log in this process share.
  package func watch() throws(AnnalsError) -> CommitWatch {
    try watching.withLock { (watching) throws(AnnalsError) in
      if let watch = watching.watch { return watch }
      let watch = try CommitWatch(place.commits) { [place] in
        let generation = place.generation
        return (generation.number, generation.environment)
      }
      watching.watch = watch
      return watch
    }
  }

  /// The watch, while it is referenced.
  struct Watching {
    weak var watch: CommitWatch?
  }
}
