internal import AnnalsCoding
internal import LMDB
import Synchronization

/// Announces every commit of a log, or of a view's file, of any process, while it is referenced.
///
/// Commits of this process are announced at once by their writers. Commits of other processes are not
/// announced: a thread reads the number of the last one every other millisecond. That costs no lock, and no
/// system call except the rest between two reads.
final class CommitWatch: Sendable {
  private static let interval: UInt32 = 2

  /// The signal that rises with every commit.
  let signal: Signal
  private let isOver = Over()
  private let thread: WriterThread

  private final class Over: Sendable {
    let value = Atomic(false)
  }

  /// Begins to watch.
  ///
  /// - Parameters:
  ///   - signal: The signal to raise. The first look raises it too, because a reader that began to wait
  ///     before it cannot know of earlier commits.
  ///   - current: The file in use, and a number that no other file has.
  init(
    _ signal: Signal, _ current: @escaping @Sendable () -> (number: UInt64, environment: Environment)
  ) throws(AnnalsError) {
    self.signal = signal
    let isOver = isOver
    thread = try files { () throws(StoreFileError) in
      try WriterThread(name: "annals-watch") {
        var seen = Seen()
        while !isOver.value.load(ordering: .acquiring) {
          let (number, environment) = current()
          if seen.hasMoved(number, environment) { signal.announce() }
          WriterThread.pause(milliseconds: Self.interval)
        }
      }
    }
  }

  deinit {
    isOver.value.store(true, ordering: .releasing)
    thread.join()
  }
}

/// The newest commit that readers can see, and its file.
private struct Seen {
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
  func watch() throws(AnnalsError) -> CommitWatch {
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

extension ViewFile {
  /// The watch, while it is referenced.
  struct Watching: Sendable {
    weak var watch: CommitWatch?
  }

  /// Returns the watch that all followers of the file in this process share.
  func watch() throws(AnnalsError) -> CommitWatch {
    try watching.withLock { (watching) throws(AnnalsError) in
      if let watch = watching.watch { return watch }
      let watch = try CommitWatch(commits) { [number, environment] in (number, environment) }
      watching.watch = watch
      return watch
    }
  }
}
