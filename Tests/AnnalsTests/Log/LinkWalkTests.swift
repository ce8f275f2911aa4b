import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import LMDB

/// Forward reads of streams follow all links of the entries that they read.
@Suite struct LinkWalkTests {
  private static let entry = NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]))

  /// A log of streams of very different lengths, and the positions of each stream's entries.
  private func filled(_ log: EventLog, entries: UInt64, seed: UInt64) async throws -> [[UInt64]] {
    var random = SeededGenerator(seed: seed)
    var positions: [[UInt64]] = Array(repeating: [], count: 6)
    var next: UInt64 = 1
    while next <= entries {
      let stream = min(Int.random(in: 0..<6, using: &random), Int.random(in: 0..<6, using: &random))
      let run = Int.random(in: 0..<9, using: &random) == 0 ? Int.random(in: 1...40, using: &random) : 1
      try await log.append(Array(repeating: Self.entry, count: run), to: "stream-\(stream)")
      positions[stream] += (0..<UInt64(run)).map { next + $0 }
      next += UInt64(run)
    }
    return positions
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a stream is read from any revision to any other`(seed: UInt64) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    defer { withExtendedLifetime(place) {} }
    let positions = try await filled(log, entries: 2_500, seed: seed)
    var random = SeededGenerator(seed: seed)
    try log.read { snapshot throws(AnnalsError) in
      for _ in 0..<400 {
        let stream = Int.random(in: 0..<6, using: &random)
        let count = positions[stream].count
        guard count > 0 else { continue }
        let first = Int.random(in: 0..<count, using: &random)
        let last = Int.random(in: first..<count, using: &random)
        var entries = try snapshot.entries(
          in: "stream-\(stream)", from: Revision(UInt64(first)), through: Revision(UInt64(last)))
        var found: [UInt64] = []
        while let entry = try entries.next() {
          if entry.revision.rawValue != UInt64(first + found.count) {
            Issue.record("revision \(entry.revision) in place of \(first + found.count)")
          }
          found.append(entry.position.rawValue)
        }
        #expect(found == Array(positions[stream][first...last]), "stream \(stream), \(first) to \(last)")
      }
    }
  }

  @Test(arguments: [1, 2, 4, 5, 16, 17, 30, 256])
  func `a whole stream is read through no other entry`(length: Int) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    defer { withExtendedLifetime(place) {} }
    for _ in 0..<length {
      try await log.append([Self.entry], to: "one")
      try await log.append([Self.entry, Self.entry], to: "another")
    }
    try log.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries(in: "one")
      var count = 0
      while try entries.next() != nil { count += 1 }
      #expect(count == length)
      #expect(entries.touched == length)
    }
  }

  @Test func `a single revision among few streams is guessed`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    defer { withExtendedLifetime(place) {} }
    for round in 0..<20 {
      try await log.append { call in
        for index in 0..<400 {
          let place = (index + round) % 4
          call.append([Self.entry], to: "stream-\(place)")
        }
      }
    }
    try log.read { snapshot throws(AnnalsError) in
      var touched = 0
      for revision in stride(from: 3, to: 1_900, by: 61) as StrideTo<UInt64> {
        var entries = try snapshot.entries(in: "stream-1", from: Revision(revision), limit: 1)
        #expect(try entries.next()?.revision.rawValue == revision)
        touched += entries.touched
      }
      // Links alone would take ten on average.
      #expect(touched < 32 * 10)
    }
  }

  @Test func `damage of neighbours of other streams does not disturb a read of one revision`() async throws {
    let place = try TemporaryStore()
    do {
      let log = try place.open()
      for _ in 0..<300 {
        try await log.append { call in
          for stream in 0..<3 { call.append([Self.entry], to: "stream-\(stream)") }
        }
      }
    }
    // Every entry of one stream but its first and its last.
    try BadRowTests().craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      for round in 1..<299 as Range<UInt64> {
        try transaction.put([UInt8](repeating: 1, count: 40).span, forKey: 3 * round + 2, in: tables.entries)
      }
    }
    let log = try place.open()
    try log.read { snapshot throws(AnnalsError) in
      for revision in 0..<300 as Range<UInt64> {
        for stream in [0, 2] as [UInt64] {
          let found = try snapshot.all(in: "stream-\(stream)", from: Revision(revision), limit: 1)
          #expect(found.map(\.position.rawValue) == [3 * revision + stream + 1])
        }
      }
    }
  }

  @Test func `two links that disagree about a revision are damage`() async throws {
    let place = try TemporaryStore()
    do {
      let log = try place.open()
      for _ in 0..<9 { try await log.append([Self.entry], to: "order-1") }
      for _ in 0..<9 { try await log.append([Self.entry], to: "order-1") }
      try await log.append([Self.entry], to: "order-2")
      try await log.append([Self.entry], to: "order-1")
    }
    // Revision 5, at position 6, has a link to revision 4. It now leads to revision 3.
    try BadRowTests().craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      guard var bytes = try transaction.value(forKey: 6, in: tables.entries)?.copied else {
        Issue.record("position 6 has no entry")
        return
      }
      guard let header = try? EntryHeader(bytes.span, at: 6) else { return }
      #expect(bytes[header.links.lowerBound] == 1)
      bytes[header.links.lowerBound] = 2
      let checksum = EntryHeader.checksum(of: bytes.span, at: 6)
      for index in 0..<4 { bytes[3 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index))) }
      try transaction.put(bytes.span, forKey: 6, in: tables.entries)
    }
    let log = try place.open()
    let error = #expect(throws: AnnalsError.self) {
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.all(in: "order-1") }
    }
    #expect(error?.code == .damaged)
    let position = error?.details.position
    #expect(position == 4 || position == 5, "\(String(describing: error))")
  }
}
