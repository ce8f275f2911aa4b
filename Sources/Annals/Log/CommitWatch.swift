internal import AnnalsCoding
internal import LMDB
import Synchronization

/// What announces every commit of a log, or of a view's file, whichever process made it, as long as anybody holds this.
///
/// Commits of this process are announced by who makes them at once. Those of others nobody announces: a thread looks at the number of the last one every other
/// millisecond, which costs no lock and no call of the system but the rest between two looks.
final class CommitWatch: Sendable {
  private static let interval: UInt32 = 2

  /// What rises with every commit.
  let signal: Signal
  private let isOver = Over()
  private let thread: WriterThread

  private final class Over: Sendable {
    let value = Atomic(false)
  }

  /// Begins to watch.
  ///
  /// - Parameters:
  ///   - signal: What is announced to; the first look announces too, because whoever began to wait before it cannot know what was committed until then.
  ///   - current: The file in use, and a number that no other one has.
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

/// The newest commit that readers can see, and of which file.
private struct Seen {
  private var number: UInt64?
  private var commit: UInt64 = 0

  /// Whether readers see more than at the last look.
  ///
  /// A writer shows its meta page, and waits for the disk, before it tells the number that snapshots are begun by: so behind a new meta page is looked again and again, until
  /// snapshots have it. Who were told earlier would look, find nothing, and wait for the next commit.
  mutating func hasMoved(_ current: UInt64, _ environment: Environment) -> Bool {
    // What cannot be read is told to those who read.
    guard let newest = try? environment.lastTransaction() else { return false }
    if current == number, newest == commit { return false }
    guard let visible = try? environment.read({ $0.id }) else { return true }
    if current == number, visible == commit { return false }
    (number, commit) = (current, visible)
    return true
  }
}

extension LogCore {
  /// The watch that all of this process share who follow the log.
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

  /// The watch, as long as somebody holds it.
  struct Watching {
    weak var watch: CommitWatch?
  }
}

extension ViewFile {
  /// The watch, as long as somebody holds it.
  struct Watching: Sendable {
    weak var watch: CommitWatch?
  }

  /// The watch that all of this process share who follow the file.
  func watch() throws(AnnalsError) -> CommitWatch {
    try watching.withLock { (watching) throws(AnnalsError) in
      if let watch = watching.watch { return watch }
      let watch = try CommitWatch(commits) { [number, environment] in (number, environment) }
      watching.watch = watch
      return watch
    }
  }
}
