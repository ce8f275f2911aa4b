import Testing

@testable import Annals
@testable import AnnalsLog

/// A long stream is read from any place without reading earlier or later entries.
@Suite struct EventLogDepthTests {
  private static let length = RunLength.count("ANNALS_DEPTH", usual: 100_000)

  /// The most entries that lie on the way to a revision: three for each power of four up to the length.
  private static var way: Int {
    var levels = 0
    var reach = 1
    while reach < length {
      reach *= 4
      levels += 1
    }
    return 3 * levels
  }

  @Test func `any revision and the last ten are found by few others`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let entry = NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]))
    let batch = [NewEntry](repeating: entry, count: 9_999)
    var written = 0
    while written < Self.length {
      let part = Array(batch.prefix(Self.length - written))
      written += part.count
      // Another stream comes between, so that positions are not revisions.
      try await log.append { call in
        call.append(part, to: "long")
        call.append([entry], to: "between")
      }
    }
    let last = UInt64(Self.length - 1)
    var random = SeededGenerator(seed: RunLength.seed)
    let revisions =
      [0, 1, last / 2, last - 1, last] + (0..<50).map { _ in UInt64.random(in: 0...last, using: &random) }
    try log.read { (snapshot) throws in
      for revision in revisions {
        var one = try snapshot.entries(in: "long", from: Revision(revision), limit: 1)
        let found = try one.next()
        #expect(found?.revision.rawValue == revision)
        #expect(found?.position.rawValue == revision + revision / 9_999 + 1)
        #expect(try one.next() == nil)
        // On the way, and itself.
        #expect(one.touched <= Self.way + 1, "revision \(revision)")
      }
      var ending = try snapshot.entries(in: "long", from: Revision(last - 9))
      var read: [UInt64] = []
      while let entry = try ending.next() { read.append(entry.revision.rawValue) }
      #expect(read == Array(last - 9...last))
      #expect(ending.touched <= Self.way + 10)
      var backwards = try snapshot.entries(in: "long", backwards: true, limit: 10)
      read = []
      while let entry = try backwards.next() { read.append(entry.revision.rawValue) }
      #expect(read == (last - 9...last).reversed())
      #expect(backwards.touched == 10)
    }
  }

  @Test func `a revision within a run of a stream's entries is found without the others`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    defer { withExtendedLifetime(place) {} }
    let entry = NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]))
    try await log.append(Array(repeating: entry, count: 3_000), to: "alone")
    try log.read { (snapshot) throws in
      for revision in [0, 1, 17, 1_024, 2_047, 2_998, 2_999] as [UInt64] {
        var one = try snapshot.entries(in: "alone", from: Revision(revision), limit: 1)
        #expect(try one.next()?.position.rawValue == revision + 1)
        #expect(one.touched == 1)
      }
    }
  }

  @Test func `revisions of streams whose runs alternate are found where they were appended`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    defer { withExtendedLifetime(place) {} }
    let entry = NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]))
    var random = SeededGenerator(seed: RunLength.seed)
    var positions: [[UInt64]] = [[], [], []]
    var next: UInt64 = 1
    while next < 3_000 {
      let stream = Int.random(in: 0..<3, using: &random)
      let run = Int.random(in: 1...(Bool.random(using: &random) ? 3 : 80), using: &random)
      try await log.append(Array(repeating: entry, count: run), to: "run-\(stream)")
      positions[stream] += (0..<UInt64(run)).map { next + $0 }
      next += UInt64(run)
    }
    try log.read { (snapshot) throws in
      for _ in 0..<2_000 {
        let stream = Int.random(in: 0..<3, using: &random)
        guard let revision = positions[stream].indices.randomElement(using: &random) else { continue }
        let limit = Int.random(in: 1...20, using: &random)
        let backwards = Bool.random(using: &random)
        var entries = try snapshot.entries(
          in: "run-\(stream)", from: Revision(UInt64(revision)), backwards: backwards, limit: limit)
        var found: [UInt64] = []
        while let entry = try entries.next() { found.append(entry.position.rawValue) }
        let wanted =
          backwards ? positions[stream][...revision].reversed() : Array(positions[stream][revision...])
        #expect(found == Array(wanted.prefix(limit)), "stream \(stream), revision \(revision), \(limit)")
      }
    }
  }
}
