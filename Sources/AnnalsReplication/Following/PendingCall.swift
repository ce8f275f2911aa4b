internal import AnnalsCoding
internal import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A call of this process that was published, or is about to be, and the caller that waits for its verdict.
final class PendingCall: Sendable {
  typealias Verdict = Result<Appended, AnnalsError>

  private enum State {
    case open
    case task(CheckedContinuation<Verdict, Never>)
    case thread(Monitor<Verdict?>)
    case answered(Verdict)
  }

  /// What is published of a call.
  enum Content {
    /// A call that may share a message with others.
    case call([UInt8])
    /// A message of its own.
    case message([UInt8])

    var bytes: [UInt8] {
      switch self {
      case .call(let bytes), .message(let bytes): bytes
      }
    }
  }

  let id: UUID
  let content: Content
  /// The time at which the caller stops to wait.
  let deadline: ContinuousClock.Instant
  private let state = Mutex(State.open)

  init(id: UUID, _ content: Content, deadline: ContinuousClock.Instant) {
    self.id = id
    self.content = content
    self.deadline = deadline
  }

  /// Whether the caller has its verdict.
  var isAnswered: Bool {
    state.withLock { state in
      if case .answered = state { return true }
      return false
    }
  }

  /// Gives the caller its verdict, unless it has one.
  func answer(_ verdict: Verdict) {
    let before = state.withLock { state in
      defer {
        if case .answered = state {} else { state = .answered(verdict) }
      }
      return state
    }
    switch before {
    case .task(let continuation): continuation.resume(returning: verdict)
    case .thread(let reply):
      reply.withLock { $0 = verdict }
      reply.wake()
    case .open, .answered: break
    }
  }

  /// Waits for the verdict. There is one caller.
  func wait() async -> Verdict {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Verdict? in
        if case .answered(let verdict) = state { return verdict }
        state = .task(continuation)
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// Waits for the verdict, and blocks the calling thread meanwhile.
  ///
  /// The thread itself looks at the deadline: it may be one that the timer of a task would need.
  func waitBlocking() -> Verdict {
    let reply = Monitor<Verdict?>(nil)
    let known = state.withLock { state -> Verdict? in
      if case .answered(let verdict) = state { return verdict }
      state = .thread(reply)
      return nil
    }
    if let known { return known }
    let (seconds, attoseconds) = ContinuousClock.now.duration(to: deadline).components
    let limit = Int(max(seconds, 0)) * 1_000_000_000 + Int(max(attoseconds, 0)) / 1_000_000_000
    return reply.wait(upTo: limit) { $0 } ?? .failure(AnnalsError.noVerdict)
  }
}
