internal import AnnalsCoding
import Synchronization

/// The one place from which a log is written in this process. The writer's thread takes it for each group,
/// and a caller for a single call while the thread sleeps.
final class WriterSeat: Sendable {
  private let loop: Mutex<WriterLoop>

  init(_ loop: sending WriterLoop) {
    self.loop = Mutex(loop)
  }

  /// Serves the queue until it is closed and empty, and then merges the tail.
  func serve(_ line: WaitingLine<LogWriter.Job>) {
    loop.withLock { $0.prepare() }
    while line.waitForSome() {
      loop.withLock { $0.serveGroup() }
    }
    loop.withLock { $0.finish() }
  }

  /// Applies a batch of a shared log on the calling thread.
  func apply(_ batch: SequencedBatch) throws(AnnalsError) -> SequencedAnswers {
    try loop.withLock { (loop) in
      Result { () throws(AnnalsError) in try loop.apply(batch) }
    }.get()
  }

  /// Stores one call on the calling thread, if that is possible without waiting for anybody.
  ///
  /// - Returns: The answer; `nil` if the call must join the queue, and nothing has happened.
  func store(_ call: GroupCall) -> Result<Appended, AnnalsError>? {
    loop.withLockIfAvailable { $0.serve(call) } ?? nil
  }
}
