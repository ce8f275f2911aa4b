internal import LMDB
import Synchronization

/// What announces every commit of a log, whichever process made it, as long as anybody holds this.
///
/// Commits of this process are announced by its writer at once. Those of others nobody announces: a thread looks at the number of the last one every other
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

  init(_ place: CurrentGeneration) throws(AnnalsError) {
    signal = place.commits
    let (signal, isOver) = (signal, isOver)
    thread = try files { () throws(StoreFileError) in
      try WriterThread(name: "annals-watch") {
        var known: (generation: UInt64, commit: UInt64)?
        while !isOver.value.load(ordering: .acquiring) {
          let generation = place.generation
          // What cannot be read is told to those who read.
          let commit = (try? generation.environment.lastTransaction()) ?? 0
          // The first look announces too: whoever began to wait before it cannot know what was committed until then.
          if known.map({ $0 != (generation.number, commit) }) ?? true { signal.announce() }
          known = (generation.number, commit)
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

extension LogCore {
  /// The watch that all of this process share who follow the log.
  func watch() throws(AnnalsError) -> CommitWatch {
    try watching.withLock { (watching) throws(AnnalsError) in
      if let watch = watching.watch { return watch }
      let watch = try CommitWatch(place)
      watching.watch = watch
      return watch
    }
  }

  /// The watch, as long as somebody holds it.
  struct Watching {
    weak var watch: CommitWatch?
  }
}
