internal import AnnalsCoding

import Synchronization

/// The chunks of a table that are in memory. The least recently used ones are removed first, approximately.
final class ChunkCache: Sendable {
  private struct State {
    /// Each chunk by its number; `nil` if it is not in memory.
    var chunks: [[UInt8]?]
    /// For each chunk, whether it was used since the clock hand passed.
    var isUsed: [Bool]
    /// The numbers of the chunks in memory, in the order of the clock hand.
    var ring: [Int] = []
    var hand = 0
    /// The total size of the chunks in memory, in bytes.
    var bytes = 0
  }

  private let limit: Int
  private let load: @Sendable (Int) throws(AnnalsError) -> [UInt8]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - count: The number of chunks.
  ///   - limit: The most bytes of chunks to keep in memory, not counting the one used last.
  ///   - load: Loads a chunk.
  init(
    count: Int, bytes limit: Int, _ load: @escaping @Sendable (Int) throws(AnnalsError) -> [UInt8]
  ) {
    self.limit = limit
    self.load = load
    state = Mutex(
      State(
        chunks: [[UInt8]?](repeating: nil, count: count), isUsed: [Bool](repeating: false, count: count)))
  }

  /// Returns the chunk with this number.
  func chunk(_ index: Int) throws(AnnalsError) -> [UInt8] {
    let known = state.withLock { state in
      state.isUsed[index] = true
      return state.chunks[index]
    }
    if let known { return known }
    // Outside the lock: two threads may load the same chunk, and neither waits for the other.
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

  /// Removes one chunk from memory: the second chance of the clock algorithm (Corbató, 1968).
  private static func makeRoom(_ state: inout State) {
    while state.isUsed[state.ring[state.hand % state.ring.count]] {
      state.isUsed[state.ring[state.hand % state.ring.count]] = false
      state.hand += 1
    }
    state.hand %= state.ring.count
    let number = state.ring[state.hand]
    state.bytes -= state.chunks[number]?.count ?? 0
    state.chunks[number] = nil
    // The last chunk takes its place: nothing is known about which one is used again soon.
    state.ring.swapAt(state.hand, state.ring.count - 1)
    state.ring.removeLast()
  }
}
