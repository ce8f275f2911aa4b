import Foundation

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

/// Random events of all versions of a market, and what is to be expected of each when it is read.
struct MarketGenerator {
  /// An event, and the paths that its parts have today.
  struct Made {
    var stream: StreamName
    var entry: NewEntry
    var paths: [[UInt32]]
  }

  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  private static let streams: [StreamName] = ["stall-1", "stall-2", "stall/é", "stall/e\u{301}", "🧺"]

  mutating func number(in range: Range<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  /// Shuffles `elements`.
  mutating func shuffled<Element>(_ elements: [Element]) -> [Element] {
    elements.shuffled(using: &generator)
  }

  /// An event of any type of any version.
  mutating func next() throws -> Made {
    switch number(in: 0..<8) {
    case 0...1:
      let counts = (0..<number(in: 0..<4)).map { _ in number(in: 0..<4) }
      let paths = counts.enumerated().flatMap { line, words in
        (0..<words).map { [UInt32(line + 1), UInt32($0)] }
      }
      return try made(MarketV1.Placed(lines: counts.map(line), total: total()), 1, [[0]] + paths)
    case 2:
      let words = number(in: 0..<4)
      return try made(MarketV2.LineAdded(text: line(words)), 2, (0..<words).map { [UInt32($0)] })
    case 3: return try made(MarketV1.Pinged(number: number(in: 0..<9)), 1, [])
    case 4: return try made(MarketV2.Priced(total: total()), 2, [[]])
    case 5: return try made(MarketV3.WordAdded(word: "tea"), 3, [[]])
    case 6: return try made(MarketV2.Noted(text: "late", place: 7), UInt32(number(in: 2..<4)), [[]])
    default: return try nextOfOne()
    }
  }

  /// An event of the first version that no rule splits or drops.
  mutating func nextOfOne() throws -> Made {
    number(in: 0..<2) == 0
      ? try made(MarketV1.Shipped(parcel: "p-\(number(in: 0..<100))"), 1, [[]])
      : try made(MarketV1.Noted(text: line(number(in: 0..<5))), 1, [[]])
  }

  private mutating func total() -> Int {
    number(in: -5..<20)
  }

  private func line(_ words: Int) -> String {
    Array(repeating: "tea", count: words).joined(separator: " ")
  }

  private mutating func made(_ record: some Record, _ version: UInt32, _ paths: [[UInt32]]) throws -> Made {
    var payload: [UInt8] = []
    try record.encode(into: &payload)
    let entry = NewEntry(
      type: type(of: record).recordName, version: SchemaVersion(version, 0, 0),
      payload: Payload(stored: payload),
      time: Timestamp(microseconds: Int64(number(in: 0..<1_000_000)) * 1_000_000))
    return Made(stream: Self.streams[number(in: 0..<Self.streams.count)], entry: entry, paths: paths)
  }
}

extension EventLog {
  /// Appends `events` in calls of a few, over several streams each.
  func append(_ events: [MarketGenerator.Made], using generator: inout MarketGenerator) async throws {
    var rest = events[...]
    while !rest.isEmpty {
      let call = rest.prefix(generator.number(in: 1..<8))
      rest = rest.dropFirst(call.count)
      try await append { appending in
        for event in call { appending.append([event.entry], to: event.stream) }
      }
    }
  }
}

/// An event as it is read today, with everything but the time that it was stored under.
struct Delivered: Hashable, CustomStringConvertible {
  let position: Position
  let description: String

  init<Event>(_ entry: Entry<Event>) {
    position = entry.position
    description =
      "\(entry.position) \(entry.path) \(entry.stream.text.utf8.map { $0 }) \(entry.revision) \(entry.timestamp) \(entry.event)"
  }
}

extension EventStore {
  /// What a read through `entries` delivers.
  func delivered(
    in stream: StreamName? = nil, from start: Position? = nil, backwards: Bool = false, limit: Int = .max
  ) throws(AnnalsError) -> [Delivered] {
    try read { (snapshot) throws(AnnalsError) in
      var all: [Delivered] = []
      if let stream {
        var entries = try snapshot.entries(in: stream, backwards: backwards, limit: limit)
        while let entry = try entries.next() { all.append(Delivered(entry)) }
      } else {
        var entries = try snapshot.entries(from: start, backwards: backwards, limit: limit)
        while let entry = try entries.next() { all.append(Delivered(entry)) }
      }
      return all
    }
  }
}
