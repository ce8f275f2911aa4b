import Annals
import Foundation
import Testing

@testable import AnnalsLog

/// Repairs of stores with tags, and copies of them.
@Suite struct TagRepairTests {
  private static let tags: [EventTag] = ["a", "b", "c"]

  private static func event(_ tags: [EventTag]) -> NewEntry {
    NewEntry(type: "Noted", version: nil, payload: Payload(stored: [0xa0]), tags: tags)
  }

  private static func create() async throws -> TemporaryStore {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    for number in 1...40 {
      var tags: [EventTag] = ["a"]
      if number % 3 == 0 { tags.append("b") }
      if number == 20 { tags.append("c") }
      try await log.append([event(tags)], to: StreamName("s\(number % 4)"))
    }
    return place
  }

  /// What each tag leads to, and what an item of two tags does, in both directions.
  private static func answers(_ url: URL) throws -> [[UInt64]] {
    let log = try EventLog(at: url, options: StoreOptions(access: .readOnly))
    return try log.read { snapshot in
      var answers: [[UInt64]] = []
      for query in [["a"], ["b"], ["c"], ["a", "b"]] as [Set<EventTag>] {
        for backwards in [false, true] {
          var found: [UInt64] = []
          var entries = try snapshot.entries(matching: [LogQuery.Item(tags: query)], backwards: backwards)
          while let entry = try entries.next() { found.append(entry.position.rawValue) }
          answers.append(found)
        }
      }
      return answers
    }
  }

  /// Checks that conditions hold in a store of 40 entries in which the newest with `b` is the 39th.
  private static func checkConditions(_ url: URL) async throws {
    let log = try EventLog(at: url)
    let error = await #expect(throws: AnnalsError.self) {
      try await log.append([event(["b"])], unless: [LogQuery.Item(tags: ["b"])], after: 36)
    }
    #expect(error?.code == .conflict && error?.details.position == 39)
    try await log.append([event(["b"])], unless: [LogQuery.Item(tags: ["b"])], after: 39)
  }

  @Test func `a sound store with tags needs no repair`() async throws {
    let place = try await Self.create()
    let report = try EventLog.repair(place.url)
    #expect(!report.isNeeded && !report.isDone, "\(report)")
    #expect(try EventLog.inspect(place.url).generation == 1)
  }

  @Test(arguments: [[UInt8]?.none, [1, 2, 3], [20, 0, 0, 0]])
  func `a repair builds rows of tags again, and queries and conditions are as before`(row: [UInt8]?)
    async throws
  {
    for tag in Self.tags {
      let place = try await Self.create()
      let before = try Self.answers(place.url)
      try CraftedTags(url: place.url).put(row, tag)
      let isClean = try EventLog.verify(place.url).isClean
      // The row [20, 0, 0, 0] differs from that of `c` in the place among the tags of the entry alone.
      #expect(!isClean)
      let report = try EventLog.repair(place.url)
      #expect(report.isDone && report.entries.isEmpty, "\(report)")
      #expect(try EventLog.verify(place.url).isClean)
      #expect(try Self.answers(place.url) == before)
      try await Self.checkConditions(place.url)
    }
  }

  @Test(arguments: [1, 3, 20, 39, 40])
  func `a repair of a lost entry with tags leads past it, and all others are found as before`(lost: UInt64)
    async throws
  {
    let place = try await Self.create()
    let before = try Self.answers(place.url)
    try CraftedTags(url: place.url).spoil(at: Position(lost))
    let report = try EventLog.repair(place.url)
    #expect(report.isDone && report.entries.map(\.position.rawValue) == [lost])
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try Self.answers(place.url) == before.map { $0.filter { $0 != lost } })
    if lost != 39 { try await Self.checkConditions(place.url) }
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a backup and a restored store answer as the original, and so do all generations`() async throws
  {
    let place = try await Self.create()
    let before = try Self.answers(place.url)
    let copy = place.directory.appendingPathComponent("copy.annals")
    let restored = place.directory.appendingPathComponent("restored.annals")
    do {
      let log = try EventLog(at: place.url)
      try await log.append([Self.event(["a"])], to: "events")
      try log.backup(to: copy)
      var options = MigrationOptions()
      options.isHolding = true
      _ = try await log.compact(options).report()
    }
    let later = before.enumerated().map { index, found in
      index == 0 ? found + [41] : index == 1 ? [41] + found : found
    }
    #expect(try Self.answers(place.url) == later && Self.answers(copy) == later)
    _ = try EventLog.rollback(place.url)
    #expect(try Self.answers(place.url) == later)
    try EventLog.restore(copy, to: restored)
    for url in [place.url, copy, restored] {
      #expect(try EventLog.verify(url).isClean)
      #expect(try Self.answers(url) == later)
    }
    try await Self.checkConditions(restored)
    try await Self.checkConditions(place.url)
  }
}
