import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsVerify

/// Tags of entries and rows of `tags` with any bytes in them, under checksums that are right.
@Suite struct HostileTagTests {
  private static let tags: [EventTag] = ["a", "b", "c", "d:1"]
  private static let extremes: [UInt64] = [
    0, 1, 2, 3, 63, 64, 65, 127, 128, 1 << 31, 1 << 32, 1 << 47, 1 << 62, 1 << 63, .max,
  ]

  /// A store of 45 entries: all have the tag `a`, every third `b`, every tenth `c`, and one `d:1`.
  private static func create(_ url: URL) async throws {
    let log = try EventLog(at: url)
    for number in 1...45 {
      var tags: [EventTag] = ["a"]
      if number % 3 == 0 { tags.append("b") }
      if number % 10 == 0 { tags.append("c") }
      if number == 20 { tags.append("d:1") }
      try await log.append([event(tags)], to: StreamName("s\(number % 4)"))
    }
    try log.erase([Position(30)], by: "test", because: "erased")
  }

  private static func event(_ tags: [EventTag]) -> NewEntry {
    NewEntry(type: "Noted", version: nil, payload: Payload(stored: [0xa0]), tags: tags)
  }

  /// What queries of a store give, in both directions; throws what a read throws.
  private static func answers(_ log: EventLog) throws(AnnalsError) -> [[UInt64]] {
    try log.read { (snapshot) throws(AnnalsError) in
      var answers: [[UInt64]] = []
      let last = try snapshot.head()?.rawValue ?? 0
      for query in [["a"], ["b"], ["c"], ["d:1"], ["a", "b"]] as [Set<EventTag>] {
        for backwards in [false, true] {
          for start in [nil, 17, last] as [UInt64?] {
            var found: [UInt64] = []
            var read = try snapshot.entries(
              matching: [LogQuery.Item(tags: query)], from: start.map { Position($0) }, backwards: backwards)
            while let entry = try read.next() {
              found.append(entry.position.rawValue)
              if found.count > 1_000 { return [[.max]] }
            }
            answers.append(found)
          }
        }
      }
      return answers
    }
  }

  /// Uses a store in every way that meets tags. Each error must be an `AnnalsError`.
  ///
  /// - Returns: The answers of queries, or the error of the first that could not be read.
  private static func use(_ url: URL) async -> Result<[[UInt64]], AnnalsError> {
    let log: EventLog
    do throws(AnnalsError) { log = try EventLog(at: url) } catch { return .failure(error) }
    let result: Result<[[UInt64]], AnnalsError>
    do throws(AnnalsError) { result = .success(try answers(log)) } catch { result = .failure(error) }
    for tag in tags {
      for after in [nil, 0, 19, 44, 1 << 40] as [UInt64?] {
        do throws(AnnalsError) {
          try await log.append(
            [event([tag])], to: "later", unless: [LogQuery.Item(types: ["Other"], tags: [tag])],
            after: after.map { Position($0) })
        } catch {}
      }
    }
    for position in [3, 20, 33] as [UInt64] {
      do throws(AnnalsError) { try log.erase([Position(position)], by: "test", because: "again") } catch {}
    }
    do throws(AnnalsError) { _ = try await log.compact().report() } catch {}
    do throws(AnnalsError) { _ = try answers(log) } catch {}
    return result
  }

  private struct Trial {
    let whole: TemporaryStore
    let place: TemporaryStore
    let right: [[UInt64]]

    init() async throws {
      whole = try TemporaryStore(in: TemporaryDirectory.memory)
      place = try TemporaryStore(in: TemporaryDirectory.memory)
      try await HostileTagTests.create(whole.url)
      right = try HostileTagTests.answers(try EventLog(at: whole.url))
      #expect(try EventLog.verify(whole.url).isClean)
    }

    /// Crafts a copy of the store and uses it.
    ///
    /// - Parameter isNamed: Whether a finding names the place.
    func run(_ what: Comment, isNamed: (Finding) -> Bool, _ craft: (CraftedTags) throws -> Void) async throws
    {
      try? FileManager.default.removeItem(at: place.url)
      try FileManager.default.copyItem(at: whole.url, to: place.url)
      try craft(CraftedTags(url: place.url))
      let report = try EventLog.verify(place.url)
      let hasName = report.isClean || report.findings.contains(where: isNamed)
      #expect(hasName, "\(what): \(report.findings)")
      let start = ContinuousClock.now
      switch await HostileTagTests.use(place.url) {
      case .success(let answers):
        if report.isClean { #expect(answers == right, "\(what): verify finds nothing") }
      case .failure(let error):
        #expect(error.code == .damaged, "\(what): \(error)")
        #expect(!report.isClean, "\(what): verify finds nothing, and a read \(error)")
      }
      #expect(ContinuousClock.now - start < .seconds(60), what)
    }
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_TAG_FUZZ", usual: 4)))
  func `any bytes as the tags of an entry are read rightly or are damage, and verify names the position`(
    seed: UInt64
  ) async throws {
    let trial = try await Trial()
    var random = SeededGenerator(seed: seed)
    for round in 0..<25 {
      let position = Position([1, 3, 16, 20, 30, 31, 33, 45].randomElement(using: &random) ?? 1)
      let list = Self.mutated(try CraftedTags(url: trial.whole.url).list(at: position), using: &random)
      try await trial.run("seed \(seed), round \(round), position \(position), \(list)") {
        // Where a chain begins under another text, the entry that leads there is named, or the row.
        let isFirst = [1, 3, 20].contains(position)
        let found = $0.position?.rawValue ?? 0
        return found == position.rawValue
          || isFirst && (position.rawValue...position.rawValue + 10).contains(found)
          || position == 20 && $0.place.contains("'d:1'")
      } _: {
        try $0.put(list, at: position)
      }
    }
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_TAG_FUZZ", usual: 4)))
  func `any bytes in a row of tags are read rightly or are damage, and verify names the row`(
    seed: UInt64
  ) async throws {
    let trial = try await Trial()
    var random = SeededGenerator(seed: seed)
    for round in 0..<25 {
      let tag = Self.tags.randomElement(using: &random) ?? "a"
      let row = Self.mutated(try CraftedTags(url: trial.whole.url).row(tag), using: &random)
      try await trial.run("seed \(seed), round \(round), tag \(tag), \(row)") {
        $0.place.contains("table 'tags'")
      } _: {
        try $0.put(row, tag)
      }
    }
  }

  /// Other bytes: a number that is extreme, one that is a little off, a flipped bit, fewer or more bytes.
  private static func mutated(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    let index = bytes.indices.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1:
      let end = bytes[index...].firstIndex { $0 < 0x80 } ?? bytes.endIndex - 1
      let number = extremes.randomElement(using: &random) ?? 0
      bytes.replaceSubrange(index...end, with: [UInt8].varints(number))
    case 2: bytes[index] &+= Bool.random(using: &random) ? 1 : 255
    case 3: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 4: bytes.removeLast(min(bytes.count, Int.random(in: 1...4, using: &random)))
    default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
    }
    return bytes
  }

  @Test func `links forward, wrong ordinals, loops and texts out of order are damage at their position`()
    async throws
  {
    let trial = try await Trial()
    let (a, b) = (UInt8(ascii: "a"), UInt8(ascii: "b"))
    // Position 33 is ordinal 32 of `a` (links 1, 4, 16) and ordinal 10 of `b` (link 3).
    let cases: [(Comment, [UInt8])] = [
      ("right, to compare", [2, 1, a, 32, 1, 4, 16, 1, b, 10, 3]),
      ("a count of tags that is too large", .varints(1 << 62)),
      ("no tags", [0]),
      ("a length that is too large", [1] + .varints(1 << 63) + [a]),
      ("a link to itself", [2, 1, a, 32, 0, 4, 16, 1, b, 10, 3]),
      ("a link before the log", [2, 1, a, 32, 33, 4, 16, 1, b, 10, 3]),
      ("a link beyond everything", [2, 1, a, 32] + .varints(.max, 4, 16) + [1, b, 10, 3]),
      ("a link past one entry", [2, 1, a, 32, 2, 4, 16, 1, b, 10, 3]),
      ("a far link elsewhere", [2, 1, a, 32, 1, 5, 16, 1, b, 10, 3]),
      ("an ordinal before", [2, 1, a, 31, 1, 1, b, 10, 3]),
      ("the largest ordinal", [2, 1, a] + .varints(.max, 1) + [1, b, 10, 3]),
      ("the first ordinal again", [2, 1, a, 0, 1, b, 10, 3]),
      ("texts out of order", [2, 1, b, 10, 3, 1, a, 32, 1, 4, 16]),
      ("a text twice", [2, 1, a, 32, 1, 4, 16, 1, a, 32, 1, 4, 16]),
      ("a text that another chain has", [1, 1, UInt8(ascii: "c"), 32, 1, 4, 16]),
      ("a text that is none", [1, 1, 0xff, 0]),
      ("an erased tag of a chain that is none", [1, 0] + .varints(9, 7, 32, 1, 4, 16)),
    ]
    for (index, (what, list)) in cases.enumerated() {
      try await trial.run(what) {
        $0.position == 33
      } _: { crafted in
        if index == 0 { #expect(try crafted.list(at: 33) == list) }
        try crafted.put(list, at: 33)
      }
      #expect(try EventLog.verify(trial.whole.url).isClean)
    }
  }

  @Test func `the first entry of a chain under another text is damage at its position`() async throws {
    let trial = try await Trial()
    try await trial.run("another text") {
      $0.position == 1 || $0.position == 2
    } _: { crafted in
      try crafted.put([1, 1, UInt8(ascii: "q"), 0], at: 1)
      let report = try EventLog.verify(crafted.url)
      #expect(!report.isClean)
    }
  }

  @Test func `rows that lead elsewhere, are missing or unsealed are damage that names the table`()
    async throws
  {
    let trial = try await Trial()
    let b = try CraftedTags(url: trial.whole.url).row("b")
    let cases: [(Comment, [UInt8]?, Bool)] = [
      ("the row of another tag", b, true), ("no row", nil, true), ("nothing in it", [], true),
      ("no checksum", [1, 2, 3, 4, 5, 6], false),
      ("a chain that begins at the end", .varints(45, 0, 0, 0), true),
      ("a chain longer than the log", .varints(1, 0, 1 << 40, 1 << 40), true),
      ("a chain beyond the log", .varints(1, 0, 44, 1 << 40, 1, 1), true),
      ("a place among tags that no entry has", .varints(1, 64, 44, 44, 4, 28), true),
    ]
    for (what, row, isSealed) in cases {
      try await trial.run(what) {
        $0.place.contains("tags")
      } _: {
        try $0.put(row, "a", isSealed: isSealed)
      }
    }
  }

  @Test
  func `of a lost entry with tags, verify names it and the entries that lead to it, not all later ones`()
    async throws
  {
    let trial = try await Trial()
    try await trial.run("a lost entry") {
      $0.position == 12
    } _: {
      try $0.spoil(at: 12)
    }
    try FileManager.default.removeItem(at: trial.place.url)
    try FileManager.default.copyItem(at: trial.whole.url, to: trial.place.url)
    try CraftedTags(url: trial.place.url).spoil(at: 12)
    let tags = try EventLog.verify(trial.place.url).findings.filter { $0.problem.contains("its tag") }
    #expect(Set(tags.map(\.position)) == [13, 15], "\(tags)")
  }
}
