internal import AnnalsCoding

import Synchronization

/// The chunks of a table that stand in memory: what has not been used for longest makes room, about.
final class ChunkCache: Sendable {
  private struct State {
    /// By number, the chunk; `nil` where it is not in memory.
    var chunks: [[UInt8]?]
    /// By number, whether it was used since the hand came by.
    var isUsed: [Bool]
    /// The numbers of those in memory, as the hand goes round.
    var ring: [Int] = []
    var hand = 0
    /// How many bytes they have.
    var bytes = 0
  }

  private let limit: Int
  private let load: @Sendable (Int) throws(AnnalsError) -> [UInt8]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - count: How many chunks there are.
  ///   - limit: How many bytes of them stand in memory at most, but for the one that was used last.
  ///   - load: Fetches one.
  init(
    count: Int, bytes limit: Int, _ load: @escaping @Sendable (Int) throws(AnnalsError) -> [UInt8]
  ) {
    self.limit = limit
    self.load = load
    state = Mutex(
      State(
        chunks: [[UInt8]?](repeating: nil, count: count), isUsed: [Bool](repeating: false, count: count)))
  }

  /// The chunk of this number.
  func chunk(_ index: Int) throws(AnnalsError) -> [UInt8] {
    let known = state.withLock { state in
      state.isUsed[index] = true
      return state.chunks[index]
    }
    if let known { return known }
    // Outside the lock: two threads may fetch the same one, and neither waits for the other's.
    let chunk = try load(index)
    state.withLock { state in
      guard state.chunks[index] == nil else { return }
      while !state.ring.isEmpty, state.bytes > limit - chunk.count { Self.makeRoom(&state) }
      state.ring.append(index)
      state.bytes += chunk.count
      state.chunks[index] = chunk
    }
    return chunk
  }

  /// Lets one chunk go: the second chance of the clock algorithm (Corbató, 1968).
  private static func makeRoom(_ state: inout State) {
    while state.isUsed[state.ring[state.hand % state.ring.count]] {
      state.isUsed[state.ring[state.hand % state.ring.count]] = false
      state.hand += 1
    }
    state.hand %= state.ring.count
    let number = state.ring[state.hand]
    state.bytes -= state.chunks[number]?.count ?? 0
    state.chunks[number] = nil
    // The last one takes its place; which one is used again soon, nobody knows.
    state.ring.swapAt(state.hand, state.ring.count - 1)
    state.ring.removeLast()
  }
}
