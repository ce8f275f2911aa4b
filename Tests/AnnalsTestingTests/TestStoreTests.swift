import Annals
import AnnalsTesting
import Foundation
import Testing

@Suite struct TestStoreTests {
  // Promise P166.
  @Test func `events of an old version are read with today's plan`() async throws {
    let place = try TestStore()
    try await place.seed(WorkoutsV1.self) { call in
      call.append([.heartbeat(.init(n: 1)), .bodyWeighed(.init(weight: 80))], to: "athlete-7")
    }
    let events = try place.open(plan: WorkoutPlan.self).events()
    #expect(events == [.heartbeat(.init(n: 1)), .bodyWeighed(.init(kilograms: 80, note: nil))])
  }

  @Test func `schemas are seeded in any order`() async throws {
    let place = try TestStore()
    try await place.seed(WorkoutsV3.self) { call in
      call.append([.counted(.init(exercise: "a", reps: 1))], to: "x")
    }
    try await place.seed(WorkoutsV1.self) { call in call.append([.heartbeat(.init(n: 2))], to: "x") }
    try await place.seed(WorkoutsV2.self) { call in
      call.append([.bodyWeighed(.init(kilograms: 1, note: "n"))], to: "x")
    }
    let events = try place.open(plan: WorkoutPlan.self).events()
    #expect(
      events == [
        .counted(.init(exercise: "a", reps: 1)), .heartbeat(.init(n: 2)),
        .bodyWeighed(.init(kilograms: 1, note: "n")),
      ])
  }

  @Test func `events are seeded with ids, times and metadata of their own`() async throws {
    let place = try TestStore()
    let (id, time) = (UUID(), Date(timeIntervalSince1970: 1_000))
    try await place.seed(WorkoutsV1.self) { call in
      call.append([NewEvent(.heartbeat(.init(n: 1)), id: id, metadata: ["user": "7"], time: time)], to: "x")
    }
    try place.open(plan: WorkoutPlan.self).read { (snapshot) throws in
      var entries = try snapshot.entries()
      let entry = try #require(try entries.next())
      #expect(entry.id == id)
      #expect(entry.time == time)
      #expect(entry.metadata["user"] == "7")
    }
  }

  @Test func `events without a version are taken over by a plan that adopts them`() async throws {
    let place = try TestStore()
    try await place.seedUnversioned("Noted", [["text": "a"], ["text": "b"]], to: "x")
    #expect(throws: AnnalsError.self) { try place.open(plan: NotesPlan.self) }
    let events = try place.activate(plan: NotesPlan.self).events()
    #expect(events == [.noted(.init(text: "a")), .noted(.init(text: "b"))])
  }

  @Test func `events without a version that do not fit are not taken over`() async throws {
    let place = try TestStore()
    try await place.seedUnversioned("Noted", [["text": 7]], to: "x")
    let error = #expect(throws: AnnalsError.self) { try place.activate(plan: NotesPlan.self) }
    #expect(error?.code == .shapeChanged)
  }

  @Test func `records without a version are adopted and upcast`() async throws {
    let place = try TestStore()
    try await place.seedUnversioned(WorkoutsV1.self) { call in
      call.append([.bodyWeighed(.init(weight: 80)), .heartbeat(.init(n: 1))], to: "x")
    }
    try await place.seedUnversioned("Heartbeat", [["n": 2, "unknown": true]], to: "x")
    let raw = try EventLog(at: place.url).read { (snapshot) throws(AnnalsError) in
      try snapshot.entry(at: 1)
    }
    #expect(raw?.version == nil)
    #expect(raw?.content == .payload(try Payload(["weight": 80.0])))
    let error = #expect(throws: AnnalsError.self) { try place.activate(plan: AdoptingWorkoutPlan.self) }
    #expect(error?.code == .undeclaredFields)
    let events = try place.activate(plan: AdoptingWorkoutPlan.self, dropping: ["Heartbeat.unknown"]).events()
    #expect(
      events == [
        .bodyWeighed(.init(kilograms: 80, note: nil)), .heartbeat(.init(n: 1)), .heartbeat(.init(n: 2)),
      ])
  }

  @Test func `a payload that fits no version can be seeded under one`() async throws {
    let place = try TestStore()
    try await place.seed("Noted", version: SchemaVersion(1, 0, 0), [["text": "a"], [:]], to: "x")
    let store = try place.open(plan: NotesPlan.self)
    let error = #expect(throws: AnnalsError.self) { try store.events() }
    #expect(error?.code == .malformed)
    #expect(error?.details.position == 2)
  }

  // Promise P167.
  @Test func `the directory goes with the last reference`() async throws {
    var place: TestStore? = try TestStore()
    let url = try #require(place?.url.deletingLastPathComponent())
    try await place?.seedUnversioned("Noted", [["text": "a"]], to: "x")
    #expect(FileManager.default.fileExists(atPath: url.path))
    place = nil
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }
}

@Schema(1, 0, 0) private enum Notes {
  fileprivate struct Noted: Record, Codable, Equatable { var text: String }
}
extension Notes.Event: Equatable {}

private enum NotesPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Notes, Notes> {}
  static var unversioned: UnversionedEvents { .adopt(as: Notes.self) }
}
