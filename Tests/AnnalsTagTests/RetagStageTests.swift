import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum ShiftsV1 {
  @Record struct Worked {
    var worker: Int
    var site: String
    var hours: Int
  }
  @Record struct Noted { var text: String }
}

@Schema(2, 0, 0) enum ShiftsV2 {
  typealias Worked = ShiftsV1.Worked
  typealias Noted = ShiftsV1.Noted
}

/// The work at a site is one event.
@Schema(3, 0, 0) enum ShiftsV3 {
  typealias Noted = ShiftsV1.Noted
  @Record struct ShiftDone {
    @Field(tag: "worker") var worker: Int
    @Field(tag: "site") var site: String
    var hours: Int
  }
}

/// Notes are gone.
@Schema(4, 0, 0) enum ShiftsV4 {
  typealias ShiftDone = ShiftsV3.ShiftDone
}

@Schema(3, 0, 0) enum WorkV3 {
  typealias Worked = ShiftsV1.Worked
}

struct ShiftSoFar: Sendable {
  var worker = 0
  var site = ""
  var hours = 0
}

enum FirstShifts: SchemaMigrationPlan {
  static var stages: MigrationChain<ShiftsV1, ShiftsV1> {}
}

enum Shifts: SchemaMigrationPlan {
  static var stages: MigrationChain<ShiftsV1, ShiftsV4> {
    MigrationStage.custom(fromVersion: ShiftsV1.self, toVersion: ShiftsV2.self) {
      Streams { events, _ in
        guard case .worked(let event) = events.first else { return .stays }
        return .moves(to: StreamName("worker-\(event.worker)"))
      }
      Retag(\.worked, "site")
      Retag(\.noted, "text")
    }
    MigrationStage.custom(fromVersion: ShiftsV2.self, toVersion: ShiftsV3.self) {
      Fold(\.worked, into: \.shiftDone, grouping: { old, _ in old.site }, from: ShiftSoFar()) {
        soFar, old, _ in
        (soFar.worker, soFar.site) = (old.worker, old.site)
        soFar.hours += old.hours
      } result: { soFar, _ in
        .init(worker: soFar.worker, site: soFar.site, hours: soFar.hours)
      }
      Retag(\.shiftDone)
    }
    MigrationStage.custom(fromVersion: ShiftsV3.self, toVersion: ShiftsV4.self) {
      Drop(\.noted, reason: "notes are private")
    }
  }
}

enum WorkAlone: SchemaMigrationPlan {
  static var stages: MigrationChain<ShiftsV1, WorkV3> {
    MigrationStage.custom(fromVersion: ShiftsV1.self, toVersion: ShiftsV2.self) {
      Retag(\.worked, "site")
      Retag(\.noted, "text")
    }
    MigrationStage.custom(fromVersion: ShiftsV2.self, toVersion: WorkV3.self) {
      Drop(\.noted, reason: "notes are private")
    }
  }
}

/// Rules that compute tags again next to streams that move, folds and drops.
@Suite struct RetagStageTests {
  private let place: TemporaryStore

  init() async throws {
    place = try TemporaryStore(in: TemporaryDirectory.memory)
    let store = try EventStore(at: place.url, plan: FirstShifts.self)
    try await store.append(
      [
        NewEvent(.worked(.init(worker: 1, site: "a", hours: 2)), tags: ["site:x", "shift:1"]),
        NewEvent(.noted(.init(text: "n1")), tags: ["text:n1", "k"]),
        NewEvent(.worked(.init(worker: 1, site: "a", hours: 3))),
        NewEvent(.worked(.init(worker: 2, site: "a", hours: 4)), tags: ["worker:9"]),
        NewEvent(.worked(.init(worker: 1, site: "b", hours: 1)), tags: ["k"]),
      ], to: "all")
  }

  private func positions(of tag: EventTag) throws -> [UInt64] {
    try EventLog(at: place.url).read { snapshot in
      var found: [UInt64] = []
      var entries = try snapshot.entries(matching: [LogQuery.Item(tags: [tag])])
      while let entry = try entries.next() { found.append(entry.position.rawValue) }
      return found
    }
  }

  @Test func `a folded event gets the tags of the fold's result, and entries that move keep theirs`()
    async throws
  {
    var options = StoreOptions()
    options.activating = true
    var passes = try PlanMigration(at: place.url, plan: Shifts.self, to: nil, options: options)
    var retagged: [UInt64] = []
    while let run = try passes.next(MigrationOptions()) {
      retagged.append(try await run.report().retagged)
      #expect(try EventLog.verify(place.url).isClean)
    }
    #expect(retagged == [2, 3])
    #expect(try positions(of: "worker:1") == [3, 5])
    #expect(try positions(of: "worker:2") == [4])
    #expect(try positions(of: "site:a") == [3, 4])
    #expect(try positions(of: "site:b") == [5])
    #expect(try positions(of: "k") == [5])
    for tag in ["worker:9", "site:x", "shift:1", "text:n1"] {
      #expect(try positions(of: EventTag(tag)) == [])
    }
    let store = try EventStore(at: place.url, plan: Shifts.self)
    var hours: [Int] = []
    for try await entry in store.entries(in: "worker-1") {
      if case .shiftDone(let shift) = entry.event { hours.append(shift.hours) }
    }
    #expect(hours == [5, 1])
  }

  @Test func `an event that a later stage drops has no tags, and is not counted`() async throws {
    let store = try EventStore(at: place.url, plan: WorkAlone.self)
    #expect(try await store.migrate().report().retagged == 1)
    #expect(try positions(of: "text:n1") == [])
    #expect(try positions(of: "site:x") == [])
    #expect(try positions(of: "shift:1") == [1])
    #expect(try positions(of: "k") == [5])
    #expect(try EventLog.verify(place.url).isClean)
  }
}
