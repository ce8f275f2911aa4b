internal import LMDB
import Synchronization

/// What announces every commit of a view's file, whichever process made it, as long as anybody holds this.
///
/// Commits of this process are announced by who folds at once; for those of others a thread looks at the number of the last one every other millisecond.
final class ViewWatch: Sendable {
  private static let interval: UInt32 = 2

  private let isOver = Over()
  private let thread: WriterThread

  private final class Over: Sendable {
    let value = Atomic(false)
  }

  init(_ file: ViewFile) throws(AnnalsError) {
    let (signal, environment, isOver) = (file.commits, file.environment, isOver)
    thread = try files { () throws(StoreFileError) in
      try WriterThread(name: "annals-watch") {
        var known: UInt64?
        while !isOver.value.load(ordering: .acquiring) {
          let commit: UInt64
          // What cannot be read is told to those who read.
          do throws(EnvironmentError) { commit = try environment.lastTransaction() } catch { commit = 0 }
          // The first look announces too: whoever began to wait before it cannot know what was committed until then.
          if known != commit { signal.announce() }
          known = commit
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

extension ViewFile {
  /// The watch, as long as somebody holds it.
  struct Watching: Sendable {
    weak var watch: ViewWatch?
  }

  /// The watch that all of this process share who follow the file.
  func watch() throws(AnnalsError) -> ViewWatch {
    try watching.withLock { (watching) throws(AnnalsError) in
      if let watch = watching.watch { return watch }
      let watch = try ViewWatch(self)
      watching.watch = watch
      return watch
    }
  }
}
