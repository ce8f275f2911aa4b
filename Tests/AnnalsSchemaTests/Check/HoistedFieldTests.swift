import Testing

/// What the check says of fields that a stage hoists out of a part that stays.
@Suite struct HoistedFieldTests {
  private func lines<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> [String] {
    PlanCheck(of: plan).stages.flatMap(\.records).flatMap(\.fields).map(\.line)
  }

  @Test func `such a field is not gone, and another one of its part is`() {
    #expect(PlanCheck(of: MeetingPlan.self).errors == [])
    #expect(
      lines(MeetingPlan.self) == [
        "+ from.room: text?", "- to.hall: text?", "~ from.city: text -> start: text",
        "~ from.hall: text? -> hall: text?",
      ])
  }

  @Test func `a note for older programs says where such a field was`() {
    let notes = PlanCheck(of: MeetingPlan.self).findings.map(\.message)
    #expect(notes.contains { $0.contains("`start`, text, was `from.city`") })
    #expect(!notes.contains { $0.contains("`from.city`, text, is gone") })
  }

  @Test func `such a field may still be called unrelated to a new one of the part`() {
    #expect(PlanCheck(of: UnrelatedMeetingPlan.self).errors == [])
    #expect(lines(UnrelatedMeetingPlan.self) == lines(MeetingPlan.self))
  }

  @Test func `the values are read in their new place`() throws {
    let plan = try CompiledPlan(MeetingPlan.self)
    let old = Meetings1.Met(
      from: .init(city: "A", hall: "B", floor: 1), to: .init(city: "C", hall: "D", floor: 2))
    let new = Meetings2.Met(
      from: .init(floor: 1, room: nil), to: .init(city: "C", floor: 2), start: "A", hall: "B")
    #expect(try plan.upcast(old, .init(1, 0, 0), as: MeetingPlan.self) == [Lifted(.met(new), [])])
  }

  @Test func `a field of a part that contains itself is gone, except for that of the outermost one`() {
    #expect(PlanCheck(of: BranchPlan.self).errors == [])
    #expect(lines(BranchPlan.self) == ["- root.leaves: int64?", "~ root.leaves: int64? -> leaves: int64?"])
  }
}

@Schema(1, 0, 0) private enum Meetings1 {
  @Value fileprivate struct Place: Equatable {
    var city: String
    var hall: String?
    var floor: Int?
  }
  @Record fileprivate struct Met: Equatable {
    var from: Place
    var to: Place
  }
}

@Schema(2, 0, 0) private enum Meetings2 {
  @Value fileprivate struct Start: Equatable {
    var floor: Int?
    var room: String?
  }
  @Value fileprivate struct Goal: Equatable {
    var city: String
    var floor: Int?
  }
  @Record fileprivate struct Met: Equatable {
    var from: Start
    var to: Goal
    @Field(originalName: "city") var start: String
    var hall: String?
  }
}

extension Meetings2.Event: Equatable {}

private enum MeetingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Meetings1, Meetings2> {
    MigrationStage.lightweight(fromVersion: Meetings1.self, toVersion: Meetings2.self) {
      Hoist(\.met, \.start, from: "from")
      Hoist(\.met, \.hall, from: "from")
    }
  }
}

private enum UnrelatedMeetingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Meetings1, Meetings2> {
    MigrationStage.lightweight(fromVersion: Meetings1.self, toVersion: Meetings2.self) {
      Hoist(\.met, \.start, from: "from")
      Hoist(\.met, \.hall, from: "from")
      Unrelated(\.met, old: \.from.hall, new: \.from.room)
    }
  }
}

@Schema(1, 0, 0) private enum Branches1 {
  @Value fileprivate struct Branch {
    var leaves: Int?
    var branches: [Branch]
  }
  @Record fileprivate struct Grown { var root: Branch }
}

@Schema(2, 0, 0) private enum Branches2 {
  @Value fileprivate struct Branch { var branches: [Branch] }
  @Record fileprivate struct Grown {
    var root: Branch
    var leaves: Int?
  }
}

private enum BranchPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Branches1, Branches2> {
    MigrationStage.lightweight(fromVersion: Branches1.self, toVersion: Branches2.self) {
      Hoist(\.grown, \.leaves, from: "root")
    }
  }
}
