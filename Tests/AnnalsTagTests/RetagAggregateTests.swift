import Annals
import Foundation
import Testing

@testable import AnnalsSubscriptions

/// Aggregates that read the tags of entries, across passes that compute these tags again.
@Suite struct RetagAggregateTests {
  /// The events of a stream, and those of them that have a student as a tag.
  enum Roll: Aggregate {
    typealias Event = RetaggedV2.Event
    @Record struct State: Equatable { var events: Int; var students: Int }

    static let name = "roll"
    static let version = 1
    static var initial: State { State(events: 0, students: 0) }
    static var snapshotInterval: Int? { 10 }
    static func apply(_ entry: Entry<Event>, to state: inout State) {
      state.events += 1
      if entry.tags.contains(where: { $0.text.hasPrefix("student:") }) { state.students += 1 }
    }
  }

  private static let before = Roll.State(events: 12, students: 0)
  private static let after = Roll.State(events: 12, students: 12)
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore(in: TemporaryDirectory.memory)
  }

  /// A store of twelve enrolments whose tags name no student.
  private func filled() async throws -> EventStore<RetaggedToSecond> {
    do {
      let store = try EventStore(at: place.url, plan: PlainCourses.self)
      let events = (1...12).map { PlainCoursesV1.Event.enrolled(.init(course: "c", student: $0)) }
      try await store.append(events, to: "all")
    }
    return try EventStore(at: place.url, plan: RetaggedToSecond.self)
  }

  @Test func `a state is folded again after a pass that computes tags again, and after its rollback`()
    async throws
  {
    let store = try await filled()
    func expect(_ state: Roll.State, folded: Int) throws {
      let loaded = try store.load(Roll.self, from: "all")
      #expect(loaded.state == state)
      #expect(loaded.folded == folded)
    }
    try expect(Self.before, folded: 12)
    try expect(Self.before, folded: 0)
    #expect(try await store.migrate().report().retagged == 12)
    try expect(Self.after, folded: 12)
    try expect(Self.after, folded: 0)
    _ = try EventLog.rollback(place.url)
    try expect(Self.before, folded: 12)
    // The old tags are in use again, and with them the states folded from them.
    try expect(Self.before, folded: 0)
    #expect(try await store.migrate().report().retagged == 12)
    try expect(Self.after, folded: 12)
  }

  @Test func `a pass that changes no tag keeps snapshots, and so does its rollback`() async throws {
    let store = try await filled()
    _ = try store.load(Roll.self, from: "all")
    _ = try await store.log.compact().report()
    #expect(try store.load(Roll.self, from: "all").folded == 0)
    #expect(try await store.migrate().report().retagged == 12)
    #expect(try store.load(Roll.self, from: "all").folded == 12)
    for _ in 1...2 {
      _ = try await store.log.compact().report()
      let loaded = try store.load(Roll.self, from: "all")
      #expect(loaded.state == Self.after && loaded.folded == 0)
    }
    _ = try EventLog.rollback(place.url)
    let loaded = try store.load(Roll.self, from: "all")
    #expect(loaded.state == Self.after && loaded.folded == 0)
  }

  @Test func `a state of a moment ago is not used after the pass either`() async throws {
    let store = try await filled()
    var recent = RecentStates<Roll>()
    recent.wanted = ["all"]
    #expect(try store.load(from: ["all"], at: nil, &recent).loaded("all").state == Self.before)
    #expect(recent.states["all"]?.state == Self.before)
    #expect(try await store.migrate().report().retagged == 12)
    #expect(try store.load(from: ["all"], at: nil, &recent).loaded("all").state == Self.after)
    #expect(recent.states["all"]?.state == Self.after)
  }
}
