import Foundation

/// Random append calls that often repeat, overlap and contradict earlier ones.
struct CallGenerator {
  private(set) var generator: SeededGenerator
  private var earlier: [[ArrayModel.Part]] = []

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  private static let streams: [StreamName] = ["a", "b", "b/c", "é", "e\u{301}", "..", "🏏\n"]

  /// A call that may be made after the ones that led to `model`.
  mutating func next(_ model: ArrayModel) -> [ArrayModel.Part] {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...1 where !earlier.isEmpty:
      return earlier.randomElement(using: &generator) ?? []
    case 2 where !earlier.isEmpty:
      // A part of an earlier call: its last events, or its first.
      var call = earlier.randomElement(using: &generator) ?? []
      let index = call.indices.randomElement(using: &generator) ?? 0
      let count = Int.random(in: 0...call[index].events.count, using: &generator)
      call[index].events =
        Bool.random(using: &generator)
        ? Array(call[index].events.suffix(count)) : Array(call[index].events.prefix(count))
      return call
    default:
      let call = (0..<Int.random(in: 1...3, using: &generator)).map { _ in part(model) }
      earlier.append(call)
      return call
    }
  }

  private mutating func part(_ model: ArrayModel) -> ArrayModel.Part {
    let stream = Self.streams.randomElement(using: &generator) ?? "a"
    let count = UInt64(model.positions(of: stream).count)
    let expectation: Expectation =
      switch Int.random(in: 0..<9, using: &generator) {
      case 0...3: .any
      case 4: .noStream
      case 5: .exists
      case 6...7 where count > 0: .revision(Revision(count - 1))
      default: .revision(Revision(UInt64.random(in: 0...(count + 3), using: &generator)))
      }
    let withIDs = Int.random(in: 0..<3, using: &generator)
    let size = [0, 1, 1, 2, 5, 80].randomElement(using: &generator) ?? 1
    return ArrayModel.Part(
      stream: stream, expectation: expectation, events: (0..<size).map { _ in event(withIDs: withIDs) })
  }

  private mutating func event(withIDs: Int) -> ArrayModel.Event {
    let hasID = withIDs == 1 || (withIDs == 2 && Bool.random(using: &generator))
    return ArrayModel.Event(
      type: ["Placed", "Paid", "Shipped"].randomElement(using: &generator) ?? "Placed",
      version: [nil, SchemaVersion(1, 0, 0), SchemaVersion(2, 1, 0)].randomElement(using: &generator) ?? nil,
      // {"n": 0...9}
      payload: [0xa1, 0x61, 0x6e, UInt8.random(in: 0...9, using: &generator)],
      id: hasID ? id() : nil)
  }

  /// Mostly new ids, and now and then one from a small pool, so that ids come twice.
  private mutating func id() -> UUID {
    let isRare = Int.random(in: 0..<40, using: &generator) == 0
    let low = isRare ? UInt64.random(in: 0..<4, using: &generator) : generator.next()
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: low >> (8 * $0)) }
    return UUID(
      uuid: (
        0, 0, 0, 0, 0, 0, 0, 0, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]
      ))
  }
}
