import Annals
import Foundation
import Testing

@testable import AnnalsLog

/// Live reads with a query, while types and tags come that the store did not have at their beginning.
@Suite struct TagLiveTests {
  private static func event(_ type: String, _ tags: [EventTag] = []) -> NewEntry {
    NewEntry(type: type, version: nil, payload: Payload(stored: [0xa0]), tags: tags)
  }

  @Test func `a live read delivers entries of a type that the store gets later, next to those with a tag`()
    async throws
  {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    try await log.append([Self.event("Early", ["t"]), Self.event("Early")], to: "events")
    let query: LogQuery = [.init(types: ["Late"]), .init(tags: ["t"])]
    var reader = EntryReader(following: log.core, matching: query.source)
    #expect(try reader.entries(PageLimits()).elements.map(\.position) == [1])
    #expect(reader.checkpoint?.position == 2)
    try await log.append([Self.event("Late"), Self.event("Early", ["t"]), Self.event("Early")], to: "events")
    #expect(try reader.entries(PageLimits()).elements.map(\.position) == [3, 4])
    #expect(reader.checkpoint?.position == 5)
  }

  @Test func `a live read of one type begins before the store has it`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    try await log.append([Self.event("Early")], to: "events")
    var reader = EntryReader(
      following: log.core, matching: LogQuery([LogQuery.Item(types: ["Late"])]).source)
    #expect(try reader.entries(PageLimits()).elements.isEmpty)
    try await log.append([Self.event("Late"), Self.event("Early")], to: "events")
    #expect(try reader.entries(PageLimits()).elements.map(\.position) == [2])
    try await log.append([Self.event("Late")], to: "events")
    #expect(try reader.entries(PageLimits()).elements.map(\.position) == [4])
  }

  @Test func `a subscription delivers events of a type that the store gets later, next to those with a tag`()
    async throws
  {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let store = try EventStore(at: place.url, plan: FirstCourses.self)
    try await store.append([.enrolled(.init(course: "c1", student: "s1"))], to: "a")
    let query = EventQuery<CoursesV1.Event>(items: [.init([\.left]), .init(tags: ["course:c1"])])
    var found: [UInt64] = []
    for try await step in store.subscribe(from: .beginning, to: query) {
      let entry = step.entry
      found.append(entry.position.rawValue)
      if found == [1] {
        try await store.append(
          [.left(.init(course: "c2", student: "s2")), .enrolled(.init(course: "c1", student: "s3"))], to: "a")
      }
      if entry.position == 3 { break }
    }
    #expect(found == [1, 2, 3])
  }

  @Test func `a reader that another program's first tags overtake finds them`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let reader = try EventLog(at: place.url)
    let writer = try EventLog(at: place.url)
    let query: LogQuery = [.init(tags: ["t"])]
    func found(_ log: EventLog) throws -> [Position] {
      try log.read { snapshot in
        var entries = try snapshot.entries(matching: query)
        var found: [Position] = []
        while let entry = try entries.next() { found.append(entry.position) }
        return found
      }
    }
    #expect(try found(reader) == [])
    // An older snapshot goes on without the table that it does not have.
    try await reader.append([Self.event("Early")], unless: query)
    try reader.read { snapshot in
      try writer.append([Self.event("Early", ["t"])], to: "events")
      var entries = try snapshot.entries(matching: query)
      let next = try entries.next()
      #expect(next == nil)
    }
    #expect(try found(reader) == [2])
    let error = await #expect(throws: AnnalsError.self) {
      try await reader.append([Self.event("Early")], unless: query, after: 1)
    }
    #expect(error?.code == .conflict && error?.details.position == 2)
  }

  @Test func `a refused call leaves no trace in the heads of tags that the next one uses`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    let query: LogQuery = [.init(tags: ["t"])]
    try await log.append([Self.event("A", ["t", "u"])], to: "events")
    // Refused alone, and in groups with calls that are stored.
    for round in 0..<20 {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            do {
              if number % 2 == 0 {
                try await log.append([Self.event("A", ["t", "new:\(round)"])], unless: query)
                Issue.record("it was stored")
              } else {
                try await log.append([Self.event("A", ["t", "u", "n:\(number)"])], to: "s\(number)")
              }
            } catch {
              #expect(number % 2 == 0)
            }
          }
        }
      }
    }
    #expect(try EventLog.verify(place.url).isClean)
    let count = try log.read { snapshot in
      var entries = try snapshot.entries(matching: query)
      var count = 0
      while try entries.next() != nil { count += 1 }
      return count
    }
    #expect(count == 1 + 20 * 4)
  }

  @Test func `positions 0 and the largest are limits like others`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    try await log.append((0..<5).map { Self.event("A", $0 % 2 == 0 ? ["t"] : []) }, to: "events")
    for query in [[.init(tags: ["t"])], [.init(types: ["A"], tags: ["t"]), .init(types: ["B"])]] as [LogQuery]
    {
      func found(
        after: Position? = nil, from start: Position? = nil, through end: Position? = nil,
        backwards: Bool = false, limit: Int = .max
      ) throws -> [UInt64] {
        try log.read { snapshot in
          var entries = try snapshot.entries(
            matching: query, after: after, from: start, through: end, backwards: backwards, limit: limit)
          var found: [UInt64] = []
          while let entry = try entries.next() { found.append(entry.position.rawValue) }
          return found
        }
      }
      let top = Position(.max)
      #expect(try found(after: 0) == [1, 3, 5])
      #expect(try found(from: 0, through: top) == [1, 3, 5])
      #expect(try found(after: top) == [] && found(from: top) == [] && found(through: 0) == [])
      #expect(try found(after: top, backwards: true) == [5, 3, 1])
      #expect(try found(from: top, through: 0, backwards: true) == [5, 3, 1])
      #expect(try found(after: 0, backwards: true) == [] && found(from: 0, backwards: true) == [])
      #expect(try found(after: 1, backwards: true) == [] && found(through: top, backwards: true) == [])
      #expect(try found(limit: 0) == [] && found(limit: -1) == [] && found(limit: 2) == [1, 3])
      try await log.append([Self.event("C")], unless: query, after: Position(.max))
      await #expect(throws: AnnalsError.self) {
        try await log.append([Self.event("C")], unless: query, after: 0)
      }
      try await log.append([Self.event("C")], unless: [], after: 0)
      try await log.append([Self.event("C")], unless: [])
    }
  }
}
