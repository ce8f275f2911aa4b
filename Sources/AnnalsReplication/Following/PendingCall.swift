internal import AnnalsCoding
internal import AnnalsLog
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
    case thread(Reply<Verdict>)
    case answered(Verdict)
  }

  let id: UUID
  /// The message, which is published again with the same bytes.
  let message: [UInt8]
  /// The time at which the caller stops to wait.
  let deadline: ContinuousClock.Instant
  private let state = Mutex(State.open)

  init(id: UUID, message: [UInt8], deadline: ContinuousClock.Instant) {
    self.id = id
    self.message = message
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
    case .thread(let reply): reply.set(verdict)
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
  func waitBlocking() -> Verdict {
    let reply = Reply<Verdict>()
    let known = state.withLock { state -> Verdict? in
      if case .answered(let verdict) = state { return verdict }
      state = .thread(reply)
      return nil
    }
    return known ?? reply.wait()
  }
}
