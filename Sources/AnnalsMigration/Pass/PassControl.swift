internal import AnnalsCoding
internal import LMDB
import Synchronization

/// The state that a pass's thread shares with its observers and controllers.
final class PassControl: Sendable {
  /// A request to the pass.
  enum Wish: Sendable {
    case go
    case pause
    /// To end, and to keep the work for a later pass.
    case stop
    /// To end, and to remove the work.
    case cancel
  }

  private struct State {
    var wish = Wish.go
    var progress = MigrationProgress()
    var result: Result<MigrationReport, AnnalsError>?
    var watchers: [Int: AsyncStream<MigrationProgress>.Continuation] = [:]
    var waiting: [CheckedContinuation<Result<MigrationReport, AnnalsError>, Never>] = []
    var number = 0
  }

  private let state = Mutex(State())

  /// The current request.
  var wish: Wish { state.withLock { $0.wish } }

  /// Makes a request. A request to end cannot be revoked.
  func ask(_ wish: Wish) {
    state.withLock { state in
      switch state.wish {
      case .go, .pause: state.wish = wish
      case .stop: if wish == .cancel { state.wish = .cancel }
      case .cancel: break
      }
    }
  }

  /// The current progress.
  var progress: MigrationProgress { state.withLock { $0.progress } }

  /// Publishes the progress.
  func show(_ progress: MigrationProgress) {
    let watchers = state.withLock { state in
      state.progress = progress
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.yield(progress) }
  }

  /// Returns the progress from now on, until the pass ends. A slow consumer receives the newest.
  func watch() -> AsyncStream<MigrationProgress> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: MigrationProgress.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state -> Int? in
      continuation.yield(state.progress)
      guard state.result == nil else { return nil }
      state.number += 1
      state.watchers[state.number] = continuation
      return state.number
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.watchers[number] = nil }
    }
    return stream
  }

  /// Records the outcome.
  func finish(_ result: Result<MigrationReport, AnnalsError>) {
    let (watchers, waiting) = state.withLock { state in
      state.result = result
      defer {
        state.watchers = [:]
        state.waiting = []
      }
      return (Array(state.watchers.values), state.waiting)
    }
    for watcher in watchers { watcher.finish() }
    for continuation in waiting { continuation.resume(returning: result) }
  }

  /// Returns the outcome after the end.
  func result() async -> Result<MigrationReport, AnnalsError> {
    await withCheckedContinuation { continuation in
      let result = state.withLock { state in
        if state.result == nil { state.waiting.append(continuation) }
        return state.result
      }
      if let result { continuation.resume(returning: result) }
    }
  }

  /// The outcome; `nil` before the end.
  var ended: Result<MigrationReport, AnnalsError>? { state.withLock { $0.result } }
}
