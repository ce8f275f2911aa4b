public import AnnalsCoding
internal import LMDB
import Synchronization

/// A migration pass that is under way.
///
/// It goes on whether or not anybody holds this value. Appends and reads go on beside it, in this process and in others.
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

  /// How far the pass has come, now and then until it is over.
  ///
  /// Several may watch. Who takes long over one value gets the newest next, and misses those between.
  public var progress: AsyncStream<MigrationProgress> { control.watch() }

  /// How far the pass has come by now.
  public var current: MigrationProgress { control.progress }

  /// Lets the pass rest at the next batch, until ``resume()``.
  public func pause() { control.ask(.pause) }

  /// Lets a pass that rests go on.
  public func resume() { control.ask(.go) }

  /// Ends the pass at the next batch and keeps what it has done: the next pass of the same plan goes on there.
  ///
  /// Whoever waits gets `cancelled`, unless the switch came first.
  public func stop() { control.ask(.stop) }

  /// Ends the pass at the next batch and removes what it has done, so that the store is as it was.
  ///
  /// Whoever waits gets `cancelled`, unless the switch came first.
  public func cancel() { control.ask(.cancel) }

  /// What the pass has done, once it is over. A cancelled task does not end the pass.
  ///
  /// - Throws: ``AnnalsError``; the store is then as it was, and unless the pass was stopped nothing is left of it: `cancelled`, `verifyFailed`, `ruleFailed`,
  ///   `malformed` and `damaged` (which name the position), `noPath`, `newerSchema`, `requiresActivation`, `diskFull` (also before anything is written), `busy` where
  ///   another pass is under way, `held`, `readOnly`, `wrongUse` where another plan's pass is unfinished, `permission` or `inputOutput`.
  public func report() async throws(AnnalsError) -> MigrationReport {
    try await control.result().get()
  }

  /// Waits on this thread until the pass is over.
  func join() throws(AnnalsError) -> MigrationReport {
    thread.join()
    while true {
      if let ended = control.ended { return try ended.get() }
      WriterThread.pause(milliseconds: 1)
    }
  }
}

/// What a thread does once, and lets go of when it is done: who is told that a pass is over may then close or remove what it had open.
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
