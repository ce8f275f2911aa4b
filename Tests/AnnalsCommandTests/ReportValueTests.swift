import Annals
import AnnalsTestSupport
import Testing

@testable import AnnalsCommand

/// The values that a report is made of, without a store.
@Suite struct ReportValueTests {
  @Test(arguments: [0, 1, 2, 7, 99, 100, 101, 250, 1_000_003, UInt64.max >> 8])
  func `sampled positions are in order, in the log, and at most as far apart as they must be`(
    total: UInt64
  ) {
    let positions = EntrySample.positions(of: total, limit: 100)
    #expect(UInt64(positions.count) == min(total, 100))
    #expect(positions.first ?? 1 == 1)
    #expect(positions.allSatisfy { (1...max(total, 1)).contains($0) })
    let widest = (max(total, 1) - 1) / 100 + 1
    for (left, right) in zip(positions, positions.dropFirst()) {
      #expect(right > left && right - left <= widest)
    }
    #expect(total - (positions.last ?? total) <= widest)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a distribution has every entry and byte of the sample once`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...400, using: &random)
    let scale = UInt64.random(in: 1...9, using: &random)
    var sample = EntrySample(total: UInt64(count) * scale)
    let series = (0..<3).map { sample.index(of: .init(type: "T\($0)", version: nil)) }
    for index in 0..<count {
      sample.add(
        .init(
          position: UInt64(index) * scale + 1,
          time: Int64.random(
            in: (seed < 2 ? Int64.min : -1_000_000)...(seed < 2 ? Int64.max : 1_000_000), using: &random),
          bytes: Int.random(in: 0...500, using: &random), series: series.randomElement(using: &random) ?? 0,
          stream: 1))
    }
    for axis in [EntryDistribution.Axis.position, .time] {
      let distribution = EntryDistribution(of: sample, over: axis, sections: 48)
      #expect(distribution.sections.count == 48)
      for series in 0..<3 {
        let wanted = sample.entries.filter { $0.series == series }
        let entries = distribution.sections.reduce(0) { $0 + $1.entries[series] }
        let bytes = distribution.sections.reduce(0) { $0 + $1.bytes[series] }
        #expect(abs(entries - Double(wanted.count) * Double(scale)) < 0.001, "seed \(seed)")
        #expect(
          abs(bytes - Double(wanted.reduce(0) { $0 + $1.bytes }) * Double(scale)) < 0.001, "seed \(seed)")
      }
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the largest streams are those that a sort gives`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var sizes = StreamSizes()
    let lines = (0..<Int.random(in: 0...60, using: &random)).map { index in
      StreamSizes.Line(
        name: "s\(index)", entries: .random(in: 1...30, using: &random), bytes: nil, first: 1, last: 1)
    }
    for line in lines { sizes.add(line) }
    let sorted = lines.enumerated().sorted {
      ($1.element.entries, $0.offset) < ($0.element.entries, $1.offset)
    }
    #expect(sizes.lines == sorted.prefix(StreamSizes.shown).map(\.element), "seed \(seed)")
  }

  @Test func `fields are marked as same, changed, added and removed`() {
    let old = EntryChain.Event.marked(path: [], type: "A", [("x", "1"), ("y", "2"), ("z", "3")], after: [])
    #expect(old.fields.map(\.change) == [.same, .same, .same])
    let new = EntryChain.Event.marked(
      path: [], type: "B", [("x", "1"), ("y", "4"), ("w", "5")], after: [old])
    #expect(new.fields.map(\.name) == ["x", "y", "w", "z"])
    #expect(new.fields.map(\.change) == [.same, .changed, .added, .removed])
    // Fields that one stage removed are not removed again by the next one.
    let last = EntryChain.Event.marked(path: [], type: "B", [("x", "1")], after: [new])
    #expect(last.fields.map(\.name) == ["x", "y", "w"])
  }

  @Test func `a part of a split is compared with its origin and lists no missing fields`() {
    let old = EntryChain.Event.marked(path: [], type: "A", [("x", "1"), ("y", "2")], after: [])
    let part = EntryChain.Event.marked(path: [1], type: "P", [("x", "1"), ("n", "0")], after: [old])
    #expect(part.fields.map(\.change) == [.same, .added])
  }

  @Test func `rates need time, the same generation and the same file of a view`() throws {
    let first = Self.pulse(seconds: 1, entries: 100, generation: 1, views: [(1, 50), (2, 80)])
    let next = Self.pulse(seconds: 3, entries: 300, generation: 1, views: [(1, 250), (2, 10), (3, 5)])
    let rate = try #require(PulseRate(from: first, to: next))
    #expect(rate.entries == 100)
    #expect(rate.payloadBytes == 1000)
    #expect(rate.followers == [100, nil, nil])
    #expect(PulseRate(from: next, to: first) == nil)
    #expect(PulseRate(from: first, to: first) == nil)
    let other = Self.pulse(seconds: 9, entries: 1, generation: 2, views: [])
    #expect(PulseRate(from: next, to: other) == nil)
  }

  @Test(arguments: [
    (0, "0", "0 B"), (999, "999", "999 B"), (1000, "1\u{202f}000", "1000 B"), (1024, "1\u{202f}024", "1 KiB"),
    (1536, "1\u{202f}536", "1.5 KiB"), (1_234_567, "1\u{202f}234\u{202f}567", "1.2 MiB"),
    (UInt64.max, "18\u{202f}446\u{202f}744\u{202f}073\u{202f}709\u{202f}551\u{202f}615", "16 EiB"),
  ])
  func `numbers are written for people`(number: UInt64, count: String, bytes: String) {
    #expect(Quantity.count(number) == count)
    #expect(Quantity.bytes(number) == bytes)
  }

  static func pulse(
    seconds: Double, entries: UInt64, generation: UInt64, views: [(number: UInt64, position: UInt64)]
  ) -> StorePulse {
    StorePulse(
      seconds: seconds, entries: entries, streams: 3, payloadBytes: entries * 10, fileBytes: 4096,
      usedBytes: 4000, freeBytes: 96, mapBytes: 8192, readers: 2, oldestReaderLag: 7, generation: generation,
      building: nil,
      followers: views.map { view in
        StorePulse.Follower(
          role: .view, name: "view\(view.number)", version: 1, number: view.number, state: "ready",
          position: view.position, lag: entries - min(entries, view.position), rows: 12)
      })
  }
}
