/// Events for a number of streams in rounds: each round holds every stream once, in a new random order.
struct RoundRobin {
  /// The seed of every scenario's events.
  static let seed: UInt64 = 0x616e_6e61_6c73

  private var round: [Int]
  private var next = 0
  private var made: UInt32 = 0
  private var random: SplitMix64

  /// The events for `streams` streams, at least one, in an order of their own for each seed.
  init(streams: Int, seed: UInt64 = RoundRobin.seed) {
    round = Array(0..<streams)
    random = SplitMix64(seed: seed)
  }

  /// The next `count` events.
  mutating func batch(of count: Int) -> [SampleEvent] {
    (0..<count).map { _ in event() }
  }

  /// The stream of the next event.
  mutating func stream() -> Int {
    if next == 0 { round.shuffle(using: &random) }
    defer { next = (next + 1) % round.count }
    return round[next]
  }

  private mutating func event() -> SampleEvent {
    defer { made += 1 }
    return SampleEvent(stream: stream(), index: made, random: &random)
  }
}
