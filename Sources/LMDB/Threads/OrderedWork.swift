/// Pieces of work that several threads do and one thread takes, in the order of the pieces.
///
/// A piece may have any number of outputs. One output of a piece waits at most, and pieces are begun only so far ahead of the one that is being taken: memory is
/// bounded, however fast the threads are.
public final class OrderedWork<Output: Sendable>: Sendable {
  private struct State: Sendable {
    /// The next piece to begin.
    var next: UInt64 = 0
    /// The piece whose outputs are being taken.
    var taken: UInt64 = 0
    var waiting: [UInt64: Output] = [:]
    var finished: Set<UInt64> = []
    var isOver = false
  }

  private let state = Monitor(State())
  private let pieces: UInt64
  private let window: UInt64

  /// Work that nobody has begun.
  ///
  /// - Parameters:
  ///   - pieces: How many pieces there are; they are numbered from 0.
  ///   - window: How many pieces are under way at most, 1 or more.
  public init(pieces: UInt64, window: UInt64) {
    self.pieces = pieces
    self.window = window
  }

  /// Gives the calling thread the next piece, as soon as that may be begun.
  ///
  /// - Returns: `nil` where no piece is left, or after ``end()``.
  public func begin() -> UInt64? {
    state.wait { state -> UInt64?? in
      if state.isOver || state.next >= pieces { return .some(nil) }
      guard state.next - state.taken < window else { return nil }
      defer { state.next += 1 }
      return state.next
    }
  }

  /// Hands over an output of a piece, as soon as the one before it was taken.
  ///
  /// - Returns: Whether it will be taken; `false` after ``end()``.
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

  /// Says that a piece has no further output.
  public func finish(_ piece: UInt64) {
    state.withLock { _ = $0.finished.insert(piece) }
    state.wake()
  }

  /// Waits for the next output.
  ///
  /// - Returns: `nil` behind the last one, or after ``end()``.
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

  /// Lets no thread begin another piece, and forgets what was not taken.
  public func end() {
    state.withLock { state in
      state.isOver = true
      state.waiting = [:]
    }
    state.wake()
  }
}
