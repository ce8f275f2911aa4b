import Foundation
import Testing

@testable import Annals
@testable import AnnalsStore

/// What may be done to released versions whose types nobody uses any more, and what not.
@Suite struct KeptRecordTests {
  private let folder: TemporaryStore
  private let file: LockFile

  init() throws {
    folder = try TemporaryStore()
    file = LockFile(url: folder.directory.appendingPathComponent("Plan.lock"))
  }

  private func text() throws -> String { try String(contentsOf: file.url, encoding: .utf8) }

  @Test func `a released record that is kept as a tree passes the lock, and reads the stored events`()
    async throws
  {
    _ = try LampPlan.check(file, isRecording: true)
    let before = try text()
    let first = try EventStore(at: folder.url, plan: LampFirst.self)
    try await first.append([.lamp(.init(name: "desk"))], to: "a")
    #expect(try LampTreePlan.check(file, isRecording: false).errors.isEmpty)
    _ = try LampTreePlan.check(file, isRecording: true)
    #expect(try text() == before)
    let store = try EventStore(at: folder.url, plan: LampTreePlan.self)
    let event = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      return try entries.next()?.event
    }
    guard case .lamp(let lamp) = event else { throw CocoaError(.fileReadUnknown) }
    #expect(lamp.name == "desk" && lamp.isOn)
  }

  @Test func `a tree does not take the place of a record that is still stored`() throws {
    _ = try LampFirst.check(file, isRecording: true)
    let error = #expect(throws: AnnalsError.self) { try LampTreeFirst.check(file, isRecording: false) }
    #expect(error?.code == .shapeChanged)
  }

  @Test func `names of a record that is kept as a tree stay reserved`() throws {
    _ = try LampPlan.check(file, isRecording: true)
    let lock = try #require(try file.read())
    let problems = lock.reuses(in: LampReusingPlan.stages.outline)
    #expect(problems.contains { $0.description.contains("`watts` is new as text?, but was int64?") })
  }

  @Test func `an @UnknownCase that is taken out of a released version is an error`() throws {
    _ = try KindPlan.check(file, isRecording: true)
    #expect(try text().contains("\n    unknown kind.other\n"))
    #expect(try text().hasPrefix("annals plan lock 2\n"))
    #expect(try KindPlan.check(file, isRecording: false).errors.isEmpty)
    let error = #expect(throws: AnnalsError.self) { try UnmarkedPlan.check(file, isRecording: false) }
    #expect(error?.code == .shapeChanged)
    #expect(error?.message.contains("expected 'kind.other', found none") == true, "\(error?.message ?? "")")
  }

  @Test func `a lock without unknown cases takes them at the next recording`() throws {
    _ = try UnmarkedPlan.check(file, isRecording: true)
    #expect(try text().hasPrefix("annals plan lock 1\n"))
    #expect(try KindPlan.check(file, isRecording: false).errors.isEmpty)
    _ = try KindPlan.check(file, isRecording: true)
    #expect(throws: AnnalsError.self) { try UnmarkedPlan.check(file, isRecording: false) }
  }

  @Test func `a version that loses an @UnknownCase is warned of`() {
    let warnings = PlanCheck(of: LosingPlan.self, compatibility: .backward).findings.filter {
      $0.severity == .warning
    }
    #expect(
      warnings.map(\.message).contains { $0.contains("`kind` of record 'Item' loses its @UnknownCase") })
    let kept = PlanCheck(of: KeepingPlan.self, compatibility: .backward).findings
    #expect(!kept.contains { $0.message.contains("@UnknownCase") })
  }

  @Test func `a field that is nested, widened and taken out again keeps its name`() throws {
    _ = try CompiledPlan(NestingPlan.self)
    _ = try CompiledPlan(RenamingPlan.self)
  }

  @Test func `a new field that takes the name of a nested one is still refused`() {
    let error = #expect(throws: AnnalsError.self) { try CompiledPlan(TakingPlan.self) }
    #expect(
      error?.message.contains("`lat` is new as int64?, but was int32") == true, "\(error?.message ?? "")")
  }
}

@Schema(1, 0, 0) private enum Lamp1 {
  @Record fileprivate struct Lamp {
    var name: String
    var watts: Int?
    static var samples: [Lamp] { [.init(name: "desk", watts: 5)] }
  }
}
@Schema(1, 1, 0) private enum Lamp2 {
  @Record fileprivate struct Lamp {
    var name: String
    var isOn: Bool
  }
}
@Schema(1, 0, 0) private enum LampTree1 {
  fileprivate struct Lamp: TreeRecord { var tree: CBOR }
}
@Schema(1, 2, 0) private enum LampReusing3 {
  @Record fileprivate struct Lamp {
    var name: String
    var isOn: Bool
    var watts: String?
  }
}
private enum LampFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<Lamp1, Lamp1> {}
}
private enum LampTreeFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<LampTree1, LampTree1> {}
}
private enum LampPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Lamp1, Lamp2> {
    MigrationStage.lightweight(fromVersion: Lamp1.self, toVersion: Lamp2.self) {
      Default(\.lamp, \.isOn, true)
    }
  }
}
private enum LampTreePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<LampTree1, Lamp2> {
    MigrationStage.custom(fromVersion: LampTree1.self, toVersion: Lamp2.self) {
      Upcast(\.lamp, to: \.lamp) { old, _ in
        guard case .text(let name)? = old.tree["name"] else { return .init(name: "", isOn: true) }
        return .init(name: name, isOn: true)
      }
    }
  }
}
private enum LampReusingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<LampTree1, LampReusing3> {
    MigrationStage.custom(fromVersion: LampTree1.self, toVersion: Lamp2.self) {
      Upcast(\.lamp, to: \.lamp) { _, _ in .init(name: "", isOn: true) }
    }
    MigrationStage.lightweight(fromVersion: Lamp2.self, toVersion: LampReusing3.self)
  }
}

@Schema(1, 0, 0) private enum Kind1 {
  @Value fileprivate enum Kind {
    case small
    @UnknownCase case other
  }
  @Record fileprivate struct Item { var kind: Kind }
}
@Schema(1, 0, 0) private enum Unmarked1 {
  @Value fileprivate enum Kind { case small, other }
  @Record fileprivate struct Item { var kind: Kind }
}
@Schema(1, 1, 0) private enum Losing2 {
  @Value fileprivate enum Kind { case small, other }
  @Record fileprivate struct Item {
    var kind: Kind
    var note: String?
  }
}
@Schema(1, 1, 0) private enum Keeping2 {
  @Value fileprivate enum Kind {
    case small
    @UnknownCase case other
  }
  @Record fileprivate struct Item {
    var kind: Kind
    var note: String?
  }
}
private enum KindPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Kind1, Kind1> {}
}
private enum UnmarkedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Unmarked1, Unmarked1> {}
}
private enum LosingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Kind1, Losing2> {
    MigrationStage.lightweight(fromVersion: Kind1.self, toVersion: Losing2.self)
  }
}
private enum KeepingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Kind1, Keeping2> {
    MigrationStage.lightweight(fromVersion: Kind1.self, toVersion: Keeping2.self)
  }
}

@Schema(1, 0, 0) private enum Stop1 {
  @Record fileprivate struct Stop { var lat: Int32 }
}
@Schema(1, 1, 0) private enum Stop2 {
  @Value fileprivate struct Place { var lat: Int32 }
  @Record fileprivate struct Stop { var place: Place }
}
@Schema(1, 2, 0) private enum Stop3 {
  @Value fileprivate struct Place { var lat: Int }
  @Record fileprivate struct Stop { var place: Place }
}
@Schema(1, 3, 0) private enum Stop4 {
  @Record fileprivate struct Stop { var lat: Int }
}
@Schema(1, 3, 0) private enum Taking4 {
  @Value fileprivate struct Place { var lat: Int }
  @Record fileprivate struct Stop {
    var place: Place
    var lat: Int?
  }
}
private enum NestingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Stop1, Stop4> {
    MigrationStage.lightweight(fromVersion: Stop1.self, toVersion: Stop2.self) {
      Plunge(\.stop, into: \.place)
    }
    MigrationStage.lightweight(fromVersion: Stop2.self, toVersion: Stop3.self)
    MigrationStage.lightweight(fromVersion: Stop3.self, toVersion: Stop4.self) {
      Hoist(\.stop, \.lat, from: "place")
    }
  }
}
private enum TakingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Stop1, Taking4> {
    MigrationStage.lightweight(fromVersion: Stop1.self, toVersion: Stop2.self) {
      Plunge(\.stop, into: \.place)
    }
    MigrationStage.lightweight(fromVersion: Stop2.self, toVersion: Stop3.self)
    MigrationStage.lightweight(fromVersion: Stop3.self, toVersion: Taking4.self)
  }
}

@Schema(1, 1, 0) private enum North2 {
  @Record fileprivate struct Stop { @Field(originalName: "lat") var north: Int32 }
}
@Schema(1, 2, 0) private enum North3 {
  @Record fileprivate struct Stop { var north: Int }
}
@Schema(1, 3, 0) private enum North4 {
  @Record fileprivate struct Stop { @Field(originalName: "north") var lat: Int }
}
private enum RenamingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Stop1, North4> {
    MigrationStage.lightweight(fromVersion: Stop1.self, toVersion: North2.self)
    MigrationStage.lightweight(fromVersion: North2.self, toVersion: North3.self)
    MigrationStage.lightweight(fromVersion: North3.self, toVersion: North4.self)
  }
}
