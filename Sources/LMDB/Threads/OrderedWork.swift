/// Work in numbered pieces that several threads do and one thread consumes in order.
///
/// A piece may have any number of outputs. At most one output of a piece waits, and pieces only begin a
/// limited number ahead of the one being consumed. So memory is bounded, regardless of the speed of the
/// threads.
public final class OrderedWork<Output: Sendable>: Sendable {
  private struct State: Sendable {
    /// The next piece to begin.
    var next: UInt64 = 0
    /// The piece whose outputs are being consumed.
    var taken: UInt64 = 0
    var waiting: [UInt64: Output] = [:]
    var finished: Set<UInt64> = []
    var isOver = false
  }

  private let state = Monitor(State())
  private let pieces: UInt64
  private let window: UInt64

  /// Creates work that no thread has begun.
  ///
  /// - Parameters:
  ///   - pieces: The number of pieces, which are numbered from 0.
  ///   - window: The most pieces in progress, 1 or more.
  public init(pieces: UInt64, window: UInt64) {
    self.pieces = pieces
    self.window = window
  }

  /// Returns the next piece for the calling thread, as soon as it may begin.
  ///
  /// - Returns: `nil` if no piece is left, or after ``end()``.
  public func begin() -> UInt64? {
    state.wait { state -> UInt64?? in
      if state.isOver || state.next >= pieces { return .some(nil) }
      guard state.next - state.taken < window else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  /// Hands over an output of a piece, as soon as the previous one was consumed.
  ///
  /// - Returns: Whether it will be consumed; `false` after ``end()``.
  public func hand(_ output: consuming Output, of piece: UInt64) -> Bool {
    var output: Output? = output
    let isTaken = state.wait { state -> Bool? in
      if state.isOver { return false }
      guard state.waiting[piece] == nil, let waiting = output.take() else { return nil }
      state.waiting[piece] = waiting
      return true
    }
    state.wake()
    return isTaken
  }

  /// Marks a piece as having no further output.
  public func finish(_ piece: UInt64) {
    state.withLock { _ = $0.finished.insert(piece) }
    state.wake()
  }

  /// Waits for the next output.
  ///
  /// - Returns: `nil` after the last one, or after ``end()``.
  public func take() -> Output? {
    let output = state.wait { state -> Output?? in
      while !state.isOver, state.taken < pieces {
        if let output = state.waiting.removeValue(forKey: state.taken) { return output }
        guard state.finished.remove(state.taken) != nil else { return nil }
        state.taken += 1
      }
      return .some(nil)
    }
    state.wake()
    return output
  }

  /// Prevents further pieces, and discards outputs that were not consumed.
  public func end() {
    state.withLock { state in
      state.isOver = true
      state.waiting = [:]
    }
    state.wake()
  }
}
