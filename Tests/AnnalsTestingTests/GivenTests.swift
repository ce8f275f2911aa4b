import Annals
import AnnalsTesting
import Foundation
import Testing

@Suite struct GivenTests {
  private let day = WorkoutsV1.SetsLogged(exercise: "Squat", weight: 80, reps: 5, sets: 2)

  @Test func `an event of an old version becomes the events that its rules give`() throws {
    try Given(WorkoutsV2.Event.bodyWeighed(.init(kilograms: 80, note: "heavy")))
      .when(WorkoutPlan.self)
      .then([.bodyWeighed(.init(kilograms: 80, note: "heavy"))])
  }

  @Test func `an event of every version of the plan can be given`() throws {
    try Given(WorkoutsV1.Event.heartbeat(.init(n: 1))).when(WorkoutPlan.self).then([.heartbeat(.init(n: 1))])
    try Given(WorkoutsV2.Event.heartbeat(.init(n: 2))).when(WorkoutPlan.self).then([.heartbeat(.init(n: 2))])
    try Given(WorkoutsV3.Event.heartbeat(.init(n: 3))).when(WorkoutPlan.self).then([.heartbeat(.init(n: 3))])
  }

  @Test func `a rule also gets the data of its entry`() throws {
    let origin = Origin.sample(
      position: 7, stream: "films", revision: 3, time: Date(timeIntervalSince1970: 0))
    try Given(PlacesV1.Event.seen(.init(text: "a")), at: origin)
      .when(PlacesPlan.self)
      .then([.seen(.init(text: "a 7 films 3 1970-01-01T00:00:00.000000Z"))])
  }

  @Test func `a dropped event gives nothing`() throws {
    try Given(WorkoutsV1.Event.pinged(.init())).when(WorkoutPlan.self).thenDropped()
    try Given(WorkoutsV1.Event.pinged(.init())).when(WorkoutPlan.self).then([])
  }

  @Test func `a retained event gives nothing and is not dropped`() throws {
    let letter = DeskV1.Event.lettered(.init(text: "a"))
    try Given(letter).when(DeskPlan.self).thenRetained()
    try Given(letter).when(DeskPlan.self).thenDropped()
    try Given([letter, letter]).when(DeskPlan.self).thenRetained()
    // By way of a rule, and from the version before the stage.
    try Given(DeskV1.Event.faxed(.init(pages: 3))).when(DeskPlan.self).thenRetained()
    try Given(DeskV2.Event.received(.init(sheets: 2))).when(DeskPlan.self).thenRetained()
  }

  @Test func `an event that is not retained is reported`() throws {
    func found(_ events: [DeskV1.Event]) -> String? {
      let mismatch = #expect(throws: RuleMismatch.self) {
        try Given(events).when(DeskPlan.self).thenRetained()
      }
      return mismatch?.description
    }
    let start = "the plan gives something else\n  expected:\n    retained\n  found:\n    "
    #expect(found([.pinged(.init(n: 1))]) == start + "dropped")
    #expect(found([.noted(.init(text: "b"))]) == start + "Noted(text: \"b\")")
    #expect(
      found([.lettered(.init(text: "a")), .noted(.init(text: "b"))])
        == start + "1 of 2 events retained\n    Noted(text: \"b\")")
    #expect(found([.noted(.init(text: ""))])?.contains("found:\n    refused ruleFailed: ") == true)
    #expect(found([]) == start + "dropped")
    let mismatch = #expect(throws: RuleMismatch.self) {
      try Given(DeskV1.Event.lettered(.init(text: "a"))).when(DeskPlan.self).then([.noted(.init(text: "a"))])
    }
    #expect(mismatch?.description.hasSuffix("found:\n    retained") == true)
  }

  @Test func `a rule that throws fails`() throws {
    var none = day
    none.sets = -1
    try Given(WorkoutsV1.Event.setsLogged(none)).when(WorkoutPlan.self).thenFails(.ruleFailed)
  }

  @Test func `a different value is reported with both sides in words`() throws {
    let mismatch = #expect(throws: RuleMismatch.self) {
      try Given(WorkoutsV1.Event.bodyWeighed(.init(weight: 80)))
        .when(WorkoutPlan.self)
        .then([.bodyWeighed(.init(kilograms: 81, note: nil))])
    }
    #expect(
      mismatch?.description == """
        the plan gives something else
          expected:
            BodyWeighed(kilograms: 81.0, note: nil)
          found:
            BodyWeighed(kilograms: 80.0, note: nil)
        """)
  }

  @Test func `a different order is reported`() throws {
    #expect(throws: RuleMismatch.self) {
      try Given([WorkoutsV1.Event.heartbeat(.init(n: 1)), .heartbeat(.init(n: 2))])
        .when(WorkoutPlan.self)
        .then([.heartbeat(.init(n: 2)), .heartbeat(.init(n: 1))])
    }
  }

  @Test func `an unexpected event is reported`() throws {
    let mismatch = #expect(throws: RuleMismatch.self) {
      try Given(WorkoutsV1.Event.heartbeat(.init(n: 1))).when(WorkoutPlan.self).thenDropped()
    }
    #expect(mismatch?.description.contains("expected:\n    dropped\n  found:\n    Heartbeat(n: 1)") == true)
  }

  @Test func `a failure that does not come is reported`() throws {
    let mismatch = #expect(throws: RuleMismatch.self) {
      try Given(WorkoutsV1.Event.pinged(.init())).when(WorkoutPlan.self).thenFails(.ruleFailed)
    }
    #expect(
      mismatch?.description.contains("expected:\n    refused ruleFailed\n  found:\n    dropped") == true)
  }

  @Test func `a different failure is reported with its step`() throws {
    let mismatch = #expect(throws: RuleMismatch.self) {
      var none = day
      none.sets = -1
      try Given(WorkoutsV1.Event.setsLogged(none)).when(WorkoutPlan.self).thenFails(.malformed)
    }
    #expect(
      mismatch?.description.contains(
        "found:\n    refused ruleFailed: the rule for 'SetsLogged' in stage 1.0.0 to 2.0.0 threw NoSets")
        == true)
  }

  @Test func `an event of no version of the plan is reported`() throws {
    let mismatch = #expect(throws: RuleMismatch.self) {
      try Given(PlacesV1.Event.seen(.init(text: "a"))).when(WorkoutPlan.self).thenDropped()
    }
    #expect(mismatch?.description.contains("has no schema with the event") == true)
  }

  @Test func `several events are the log that a stage prepares itself from`() throws {
    try Given([RanksV1.Event.scored(.init(points: 3)), .scored(.init(points: 9))])
      .when(RanksPlan.self)
      .then([.ranked(.init(points: 3, rank: 2)), .ranked(.init(points: 9, rank: 1))])
  }
}

@Schema(1, 0, 0) private enum PlacesV1 {
  @Record fileprivate struct Seen { var text: String }
}
@Schema(2, 0, 0) private enum PlacesV2 {
  @Record fileprivate struct Seen { var text: String }
}
private enum PlacesPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<PlacesV1, PlacesV2> {
    MigrationStage.custom(fromVersion: PlacesV1.self, toVersion: PlacesV2.self) {
      Upcast(\.seen, to: \.seen) { old, origin in
        .init(text: "\(old.text) \(origin.position) \(origin.stream) \(origin.revision) \(origin.timestamp)")
      }
    }
  }
}

@Schema(1, 0, 0) private enum DeskV1 {
  @Record fileprivate struct Noted { var text: String }
  @Record fileprivate struct Lettered { var text: String }
  @Record fileprivate struct Faxed { var pages: Int }
  @Record fileprivate struct Pinged { var n: Int }
}
@Schema(2, 0, 0) private enum DeskV2 {
  typealias Noted = DeskV1.Noted
  typealias Lettered = DeskV1.Lettered
  @Record fileprivate struct Received { var sheets: Int }
}
@Schema(3, 0, 0) private enum DeskV3 {
  typealias Noted = DeskV2.Noted
}
private enum DeskPlan: SchemaMigrationPlan {
  struct Empty: Error {}

  static var stages: MigrationChain<DeskV1, DeskV3> {
    MigrationStage.custom(fromVersion: DeskV1.self, toVersion: DeskV2.self) {
      Upcast(\.faxed, to: \.received) { old, _ in .init(sheets: (old.pages + 1) / 2) }
      Drop(\.pinged, reason: "noise")
      Upcast(\.noted, to: \.noted) { old, _ in
        if old.text.isEmpty { throw Empty() }
        return old
      }
    }
    MigrationStage.custom(fromVersion: DeskV2.self, toVersion: DeskV3.self) {
      Retain(\.received)
      Retain(\.lettered)
    }
  }
}
