internal import LMDB

/// The caller that waits for an answer: a task, or a thread that is blocked.
enum Caller<Answer: Sendable>: Sendable {
  case task(CheckedContinuation<Answer, Never>)
  case thread(Reply<Answer>)

  /// Gives the caller its answer, once.
  func resume(returning answer: Answer) {
    switch self {
    case .task(let continuation): continuation.resume(returning: answer)
    case .thread(let reply): reply.set(answer)
    }
  }
}

/// An answer for which a thread waits.
final class Reply<Answer: Sendable>: Sendable {
  private let answer = Monitor<Answer?>(nil)

  /// No answer yet.
  init() {}

  /// Sets the answer, and wakes the thread.
  func set(_ value: Answer) {
    answer.withLock { $0 = value }
    answer.wake()
  }

  /// Blocks the calling thread until there is an answer.
  func wait() -> Answer { answer.wait { $0 } }
}
