public import AnnalsCoding
package import AnnalsLog
internal import LMDB
import Synchronization

/// A migration pass in progress.
///
/// The pass continues whether or not this value is kept. Appends and reads continue meanwhile, in this
/// process and in others.
public final class MigrationRun: Sendable {
  private let control: PassControl
  private let thread: WriterThread

  /// Begins `work` on a thread of its own.
  init(
    _ control: PassControl, observer: (@Sendable (Result<MigrationReport, AnnalsError>) -> Void)?,
    _ work: @escaping @Sendable () throws(AnnalsError) -> MigrationReport
  ) throws(AnnalsError) {
    self.control = control
    let errand = Errand(work)
    thread = try files { () throws(StoreFileError) in
      try WriterThread(name: "annals-pass") {
        let result = errand.run()
        observer?(result)
        control.finish(result)
      }
    }
  }

  /// The progress of the pass, reported at intervals until the pass ends.
  ///
  /// Several tasks may watch. A slow consumer receives the newest value next, and misses those in between.
  public var progress: AsyncStream<MigrationProgress> { control.watch() }

  /// The current progress of the pass.
  public var current: MigrationProgress { control.progress }

  /// Pauses the pass at the next batch, until ``resume()``.
  public func pause() { control.ask(.pause) }

  /// Resumes a paused pass.
  public func resume() { control.ask(.go) }

  /// Ends the pass at the next batch and keeps its work. The next pass of the same plan continues there.
  ///
  /// Waiting callers receive `cancelled`, unless the switch came first.
  public func stop() { control.ask(.stop) }

  /// Ends the pass at the next batch and removes its work, so that the store is unchanged.
  ///
  /// Waiting callers receive `cancelled`, unless the switch came first.
  public func cancel() { control.ask(.cancel) }

  /// Waits for the end of the pass and returns its report. A cancelled task does not end the pass.
  ///
  /// - Throws: ``AnnalsError``. The store is then unchanged, and unless the pass was stopped, none of its
  ///   files remain. The codes are `cancelled`, `verifyFailed`, `ruleFailed`, `malformed` and `damaged`
  ///   (which name the position), `noPath`, `newerSchema`, `requiresActivation`, `diskFull` (also before
  ///   anything is written), `busy` if another pass is in progress, `appendsSuspended`, `readOnly`,
  ///   `wrongUse` if another
  ///   plan's pass is unfinished, `permission` or `inputOutput`.
  public func report() async throws(AnnalsError) -> MigrationReport {
    try await control.result().get()
  }

  /// Blocks this thread until the pass ends, and reports its progress to the watch of an open, which can end
  /// it. Its work is then kept for the next open.
  package func join(_ watch: OpenWatch?) throws(AnnalsError) -> MigrationReport {
    guard let watch else { return try join() }
    while control.ended == nil {
      let progress = current
      do throws(AnnalsError) { try watch.advance(.migrating, progress.done, of: progress.total) } catch {
        stop()
        break
      }
      WriterThread.pause(milliseconds: 20)
    }
    return try join()
  }

  /// Blocks this thread until the pass ends.
  package func join() throws(AnnalsError) -> MigrationReport {
    thread.join()
    while true {
      if let ended = control.ended { return try ended.get() }
      WriterThread.pause(milliseconds: 1)
    }
  }
}

/// A task that a thread runs once and then releases. A caller that learns of the end may then close or remove
/// the files that the task had open.
private final class Errand: Sendable {
  typealias Work = @Sendable () throws(AnnalsError) -> MigrationReport

  private let work: Mutex<Work?>

  init(_ work: @escaping Work) {
    self.work = Mutex(work)
  }

  func run() -> Result<MigrationReport, AnnalsError> {
    let work = self.work.withLock { work in
      defer { work = nil }
      return work
    }
    return Result { () throws(AnnalsError) in
      guard let work else { throw AnnalsError(.wrongUse, "a pass is run once") }
      return try work()
    }
  }
}
