import Testing

@testable import Annals
@testable import AnnalsSchema
@testable import AnnalsShapes
@testable import AnnalsStore

@Suite struct ReservedNameTests {
  private func problems<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> [String] {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(plan) }
    #expect(error?.code == .invalidPlan)
    return error?.message.split(separator: "\n").dropFirst().map { String($0.dropFirst(2)) } ?? []
  }

  // Promise P58.
  @Test func `a removed name does not return with another type`() {
    #expect(
      problems(ReturningPlan.self) == [
        "record 'Film' of Films3 (1.2.0) has a field of a reserved name: `studio` is new as text?, but was int64? in an earlier version, whose programs would take the one for the other: give it another name"
      ])
  }

  @Test func `a name that returns is printed as forbidden`() {
    let stage = PlanCheck(of: ReturningPlan.self).stages[1]
    #expect(
      stage.records.map(\.description) == [
        """
        ~ Film  read in its new shape
            ! studio: int64? -> text?  (forbidden; new reads old: -; old reads new: -)
            = title
        """
      ])
    #expect(stage.records.map(\.changeClass) == [.forbidden])
  }

  @Test func `a removed name may return with its own type`() throws {
    _ = try CompiledPlan(SameTypePlan.self)
  }

  @Test func `a name is reserved under every name that the record had`() {
    #expect(
      problems(RenamedRecordPlan.self).map { $0.prefix(56) } == [
        "record 'Movie' of Movies3 (1.2.0) has a field of a reser"
      ])
  }

  @Test func `a name that a rule made away with is reserved, too`() {
    #expect(
      problems(RuledPlan.self) == [
        "record 'Film' of Films3 (1.2.0) has a field of a reserved name: `studio` is new as text?, but was int64? in an earlier version, whose programs would take the one for the other: give it another name"
      ])
  }

  @Test func `a name that is declared reserved is not used`() {
    #expect(
      problems(DeclaredPlan.self) == [
        "record 'Film' of Reserving3 (1.2.0) has a field of a reserved name: `length` is among the record's reserved names, now or in an earlier version: give it another name"
      ])
  }

  @Test func `a record does not use a name that it reserves itself`() {
    #expect(
      problems(OwnPlan.self) == [
        "record 'Film' of Own (1.0.0) has a field of a reserved name: `title` is among the record's reserved names, now or in an earlier version: give it another name"
      ])
  }

  @Test func `names inside nested records are reserved, too`() {
    #expect(
      problems(NestedPlan.self) == [
        "record 'Shown' of Shown3 (1.2.0) has a field of a reserved name: `place.hall` is new as text?, but was int64? in an earlier version, whose programs would take the one for the other: give it another name"
      ])
  }

  @Test func `names of other records are free`() throws {
    _ = try CompiledPlan(OtherRecordPlan.self)
  }

  @Test func `the lock reserves names of versions that the plan no longer has`() throws {
    let lock = PlanLock(ReturningPlan.stages.outline, PlanSamples(of: ReturningPlan.stages))
    let problems = lock.reuses(in: LatePlan.stages.outline)
    #expect(
      problems.map(\.description) == [
        "record 'Film' of Films3 (1.2.0) has a field of a reserved name: `studio` is new as text?, but was int64? in an earlier version, whose programs would take the one for the other: give it another name"
      ])
    #expect(lock.reuses(in: ReturningPlan.stages.outline) == [])
  }
}

@Schema(1, 0, 0) private enum Films1 {
  @Record fileprivate struct Film {
    var title: String
    var studio: Int?
  }
}
@Schema(1, 1, 0) private enum Films2 { @Record fileprivate struct Film { var title: String } }
@Schema(1, 2, 0) private enum Films3 {
  @Record fileprivate struct Film {
    var title: String
    var studio: String?
  }
}
@Schema(1, 2, 0) private enum SameType3 {
  @Record fileprivate struct Film {
    var title: String
    var studio: Int?
  }
}
@Schema(1, 1, 0) private enum Movies2 {
  @Record(formerly: ["Film"]) fileprivate struct Movie { var title: String }
}
@Schema(1, 2, 0) private enum Movies3 {
  @Record fileprivate struct Movie {
    var title: String
    var studio: String?
  }
}
@Schema(1, 1, 0) private enum Reserving2 {
  @Record(reserved: ["length"]) fileprivate struct Film {
    var title: String
    var studio: Int?
  }
}
@Schema(1, 2, 0) private enum Reserving3 {
  @Record fileprivate struct Film {
    var title: String
    var studio: Int?
    var length: Int?
  }
}
@Schema(1, 0, 0) private enum Own {
  // By hand, for the macro refuses it already.
  fileprivate struct Film: Record, Codable {
    var title: String
    static var reservedNames: [String] { ["title"] }
    static var recordShape: RecordShape? { RecordShape([FieldShape("title", .text)]) }
  }
}
@Schema(1, 1, 0) private enum Series2 {
  typealias Film = Films1.Film
  @Record fileprivate struct Series {
    var title: String
    var studio: String?
  }
}

@Schema(1, 0, 0) private enum Shown1 {
  @Record fileprivate struct Shown { var place: Place }
  @Value fileprivate struct Place {
    var city: String
    var hall: Int?
  }
}
@Schema(1, 1, 0) private enum Shown2 {
  @Record fileprivate struct Shown { var place: Place }
  @Value fileprivate struct Place { var city: String }
}
@Schema(1, 2, 0) private enum Shown3 {
  @Record fileprivate struct Shown { var place: Place }
  @Value fileprivate struct Place {
    var city: String
    var hall: String?
  }
}

private enum ReturningPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Films1, Films3> {
    MigrationStage.lightweight(fromVersion: Films1.self, toVersion: Films2.self)
    MigrationStage.lightweight(fromVersion: Films2.self, toVersion: Films3.self)
  }
}
private enum LatePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Films2, Films3> {
    MigrationStage.lightweight(fromVersion: Films2.self, toVersion: Films3.self)
  }
}
private enum SameTypePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Films1, SameType3> {
    MigrationStage.lightweight(fromVersion: Films1.self, toVersion: Films2.self)
    MigrationStage.lightweight(fromVersion: Films2.self, toVersion: SameType3.self)
  }
}
private enum RenamedRecordPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Films1, Movies3> {
    MigrationStage.lightweight(fromVersion: Films1.self, toVersion: Movies2.self)
    MigrationStage.lightweight(fromVersion: Movies2.self, toVersion: Movies3.self)
  }
}
private enum RuledPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Films1, Films3> {
    MigrationStage.custom(fromVersion: Films1.self, toVersion: Films2.self) {
      Upcast(\.film, to: \.film) { old, origin in .init(title: old.title) }
    }
    MigrationStage.custom(fromVersion: Films2.self, toVersion: Films3.self) {
      Upcast(\.film, to: \.film) { old, origin in .init(title: old.title, studio: nil) }
    }
  }
}
private enum DeclaredPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Films1, Reserving3> {
    MigrationStage.lightweight(fromVersion: Films1.self, toVersion: Reserving2.self)
    MigrationStage.lightweight(fromVersion: Reserving2.self, toVersion: Reserving3.self)
  }
}
private enum NestedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Shown1, Shown3> {
    MigrationStage.lightweight(fromVersion: Shown1.self, toVersion: Shown2.self)
    MigrationStage.lightweight(fromVersion: Shown2.self, toVersion: Shown3.self)
  }
}
private enum OwnPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Own, Own> {}
}
private enum OtherRecordPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Films1, Series2> {
    MigrationStage.lightweight(fromVersion: Films1.self, toVersion: Series2.self)
  }
}
