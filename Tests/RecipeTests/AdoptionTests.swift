import Annals
import Foundation
import Testing

/// The events that were stored before there were versions.
@Schema(0, 1, 0) enum TasksV0 {
  @Record struct TaskAdded: Equatable {
    var title: String
    var done: String?
  }
}

@Schema(1, 0, 0) enum TasksV1 {
  @Record struct TaskAdded: Equatable {
    var title: String
    var isDone: Bool
  }
}

/// The stored events fit the first version exactly.
enum AdoptingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TasksV1, TasksV1> {}
  static var unversioned: UnversionedEvents { .adopt(as: TasksV1.self) }
}

/// The stored events are repaired on the way to the first version.
enum RepairingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TasksV0, TasksV1> {
    MigrationStage.custom(fromVersion: TasksV0.self, toVersion: TasksV1.self) {
      Upcast(\.taskAdded, to: \.taskAdded) { old, _ in
        .init(title: old.title, isDone: old.done == "yes")
      }
    }
  }
  static var unversioned: UnversionedEvents { .adopt(as: TasksV0.self) }
}

/// Adopts the stored events, without a field that is no longer needed.
func adoptTasks(at url: URL) throws -> EventStore<RepairingPlan> {
  var options = StoreOptions()
  options.activating = true
  options.dropFields = ["TaskAdded.color"]
  return try EventStore(at: url, plan: RepairingPlan.self, options: options)
}

extension TasksV1.Event: Equatable {}

@Suite struct AdoptionTests {
  // Promise P123.
  @Test func `events without a version are taken over after each has been read as the first one`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.writeUnversioned("TaskAdded", [["title": "Paint", "isDone": true]])
    let error = #expect(throws: AnnalsError.self) { try place.read(AdoptingPlan.self) }
    #expect(error?.code == .requiresActivation)
    let events = try place.read(AdoptingPlan.self, activating: true)
    #expect(events == [.taskAdded(.init(title: "Paint", isDone: true))])
    #expect(try place.read(AdoptingPlan.self) == events)
  }

  // Promise P125.
  @Test func `fields that came and went before there were versions are given up by name`() async throws {
    let place = try TemporaryStore()
    try await place.writeUnversioned(
      "TaskAdded", [["title": "Mow"], ["title": "Cut", "done": "yes", "color": "red"]])
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) {
      try place.read(RepairingPlan.self, activating: true)
    }
    #expect(error?.code == .undeclaredFields)
    #expect(error?.details.fields.map(\.name) == ["TaskAdded.color"])
    #expect(error?.details.position == 2)
    #expect(try place.files() == files)
    _ = try adoptTasks(at: place.url)
    #expect(
      try place.read(RepairingPlan.self) == [
        .taskAdded(.init(title: "Mow", isDone: false)), .taskAdded(.init(title: "Cut", isDone: true)),
      ])
  }

  // Promise P124.
  @Test func `events that do not fit are listed, and nothing is changed`() async throws {
    let place = try TemporaryStore()
    try await place.writeUnversioned(
      "TaskAdded", [["title": "Paint", "isDone": true], ["title": "Mow", "isDone": "no"], ["title": "Cut"]])
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) { try place.read(AdoptingPlan.self, activating: true) }
    #expect(error?.code == .shapeChanged)
    #expect(error?.details.kinds.map(\.firstPosition) == [2, 3])
    #expect(error?.message.contains("isDone") == true)
    #expect(try place.files() == files)
  }

  // Promise P126.
  @Test func `a version zero repairs events from before there were versions`() async throws {
    let place = try TemporaryStore()
    try await place.writeUnversioned("TaskAdded", [["title": "Paint", "done": "yes"], ["title": "Mow"]])
    #expect(
      try place.read(RepairingPlan.self, activating: true) == [
        .taskAdded(.init(title: "Paint", isDone: true)), .taskAdded(.init(title: "Mow", isDone: false)),
      ])
  }

  // Promise P127.
  @Test func `a plan that says nothing of them refuses them`() async throws {
    let place = try TemporaryStore()
    try await place.writeUnversioned("TaskAdded", [["title": "Paint", "isDone": true]])
    let error = #expect(throws: AnnalsError.self) {
      try place.read(OneSchema<TasksV1>.self, activating: true)
    }
    #expect(error?.code == .noPath)
  }
}
