internal import AnnalsCoding
internal import LMDB
import Synchronization

/// What those who watch and steer a pass share with the thread that does it.
final class PassControl: Sendable {
  /// What the pass is asked to do.
  enum Wish: Sendable {
    case go
    case pause
    /// To end, and to leave what is done for a later pass.
    case stop
    /// To end, and to leave nothing.
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

  /// What is asked for now.
  var wish: Wish { state.withLock { $0.wish } }

  /// Asks for something; whoever has been asked to end is not asked back.
  func ask(_ wish: Wish) {
    state.withLock { state in
      switch state.wish {
      case .go, .pause: state.wish = wish
      case .stop: if wish == .cancel { state.wish = .cancel }
      case .cancel: break
      }
    }
  }

  /// How far it has come.
  var progress: MigrationProgress { state.withLock { $0.progress } }

  /// Shows how far it has come.
  func show(_ progress: MigrationProgress) {
    let watchers = state.withLock { state in
      state.progress = progress
      return Array(state.watchers.values)
    }
    for watcher in watchers { watcher.yield(progress) }
  }

  /// What it shows from now on, until the pass is over; who is slow gets the newest.
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

  /// Notes how it ended.
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

  /// How it ended, once it has.
  func result() async -> Result<MigrationReport, AnnalsError> {
    await withCheckedContinuation { continuation in
      let result = state.withLock { state in
        if state.result == nil { state.waiting.append(continuation) }
        return state.result
      }
      if let result { continuation.resume(returning: result) }
    }
  }

  /// How it ended; `nil` before that.
  var ended: Result<MigrationReport, AnnalsError>? { state.withLock { $0.result } }
}
