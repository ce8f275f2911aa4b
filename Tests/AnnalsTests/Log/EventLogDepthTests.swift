import Testing

@testable import Annals
@testable import AnnalsLog

/// A long stream is read from anywhere without reading what lies before or behind.
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
        // On the way, once to find it and once to lend it.
        #expect(one.touched <= Self.way + 2, "revision \(revision)")
      }
      var ending = try snapshot.entries(in: "long", from: Revision(last - 9))
      var read: [UInt64] = []
      while let entry = try ending.next() { read.append(entry.revision.rawValue) }
      #expect(read == Array(last - 9...last))
      #expect(ending.touched <= Self.way + 20)
      var backwards = try snapshot.entries(in: "long", backwards: true, limit: 10)
      read = []
      while let entry = try backwards.next() { read.append(entry.revision.rawValue) }
      #expect(read == (last - 9...last).reversed())
      #expect(backwards.touched == 10)
    }
  }
}
