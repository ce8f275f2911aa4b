import Synchronization
import Testing

@testable import Annals
@testable import AnnalsMigration
@testable import AnnalsProjections
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a change of the plan, and a migration pass, mean for views.
struct ViewPlanTests {
  @Schema(1, 0, 0) enum WalksV1 {
    @Record struct Walked { var who: String; var metres: Int }
    @Record struct Rested { var who: String }
    @Record struct Stroll { var who: String; var legs: Int }
  }
  @Schema(2, 0, 0) enum WalksV2 {
    typealias Walked = WalksV1.Walked
    typealias Rested = WalksV1.Rested
  }
  @Schema(3, 0, 0) enum WalksV3 {
    @Record struct Walked { var who: String; var metres: Int; var weather: String? }
    @Record struct Rested { var who: String; var place: String? }
  }
  enum First: SchemaMigrationPlan {
    static var stages: MigrationChain<WalksV1, WalksV1> {}
  }
  enum Second: SchemaMigrationPlan {
    static var stages: MigrationChain<WalksV1, WalksV2> { toSecond }
  }
  enum Third: SchemaMigrationPlan {
    static var stages: MigrationChain<WalksV1, WalksV3> {
      toSecond
      MigrationStage.lightweight(fromVersion: WalksV2.self, toVersion: WalksV3.self)
    }
  }
  static var toSecond: MigrationStage<WalksV1, WalksV2> {
    MigrationStage.custom(fromVersion: WalksV1.self, toVersion: WalksV2.self) {
      Split(\.stroll, into: [\.walked]) { old, _ in
        (0..<old.legs).map { .walked(.init(who: old.who, metres: $0)) }
      }
    }
  }

  @Record struct Walker: ProjectionRow {
    var who: String
    var metres: Int
    var key: String { who }
  }
  static func add(_ metres: Int, of who: String, to rows: inout ProjectionRows) throws {
    try rows.update(Walker.self, who, initial: Walker(who: who, metres: 0)) { $0.metres += metres }
  }

  enum DistancesOfSecond: Projection {
    typealias Event = WalksV2.Event
    static let name = "distances"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Walker.self)] }
    static var events: EventQuery<Event> { [\.walked] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .walked(let walked) = entry.event else { return }
      try ViewPlanTests.add(walked.metres, of: walked.who, to: &rows)
    }
  }
  enum DistancesOfThird: Projection {
    typealias Event = WalksV3.Event
    static let name = "distances"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Walker.self)] }
    static var events: EventQuery<Event> { [\.walked] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .walked(let walked) = entry.event else { return }
      try ViewPlanTests.add(walked.metres, of: walked.who, to: &rows)
    }
  }
  enum RestsOfThird: Projection {
    typealias Event = WalksV3.Event
    static let name = "rests"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Walker.self)] }
    static var events: EventQuery<Event> { [\.rested] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .rested(let rested) = entry.event else { return }
      try ViewPlanTests.add(1, of: rested.who, to: &rows)
    }
  }

  private func begin(_ temporary: TemporaryStore) async throws -> [String: Int] {
    var random = SeededGenerator(seed: 21)
    var metres: [String: Int] = [:]
    let store = try EventStore(at: temporary.url, plan: First.self)
    for _ in 0..<30 {
      var events: [WalksV1.Event] = []
      for _ in 0..<20 {
        let who = "p\(Int.random(in: 0..<5, using: &random))"
        switch Int.random(in: 0..<3, using: &random) {
        case 0: events.append(.rested(.init(who: who)))
        case 1:
          let legs = Int.random(in: 0..<4, using: &random)
          events.append(.stroll(.init(who: who, legs: legs)))
          metres[who, default: 0] += (0..<legs).sum()
        default:
          let distance = Int.random(in: 1..<100, using: &random)
          events.append(.walked(.init(who: who, metres: distance)))
          metres[who, default: 0] += distance
        }
      }
      try await store.append(events.map { NewEvent($0) }, to: "walks")
    }
    return metres
  }

  private func rows<P: Projection>(of view: View<P>) throws -> [String: Int] {
    var found: [String: Int] = [:]
    for number in 0..<5 {
      let row = try view.read { (snapshot) throws(AnnalsError) in try snapshot.get(Walker.self, "p\(number)")
      }
      if let row { found[row.who] = row.metres }
    }
    return found
  }

  // Promise P161.
  @Test("a migration pass rebuilds nothing, and a rebuild after it gives the same rows")
  func pass() async throws {
    let temporary = try TemporaryStore()
    let expected = try await begin(temporary)
    let store = try EventStore(at: temporary.url, plan: Second.self)
    let view = try store.view(DistancesOfSecond.self)
    try await view.waitUntil(600)
    #expect(try rows(of: view) == expected)
    let file = view.registered.served?.file.number
    _ = try await store.migrate().report()
    let last = try await store.append([NewEvent(.walked(.init(who: "p0", metres: 7)))], to: "walks")
      .positions[0]
    try await view.waitUntil(last)
    var after = expected
    after["p0", default: 0] += 7
    #expect(try rows(of: view) == after)
    #expect(view.registered.served?.file.number == file)
    #expect(try view.status().reason == nil)
    try store.rebuild(DistancesOfSecond.self)
    try await waitUntil { view.registered.served?.file.number != file }
    try await view.waitUntil(last)
    #expect(try rows(of: view) == after)
  }

  // Promise P175.
  @Test("a plan that converts a view's inputs has it rebuilt and says why; others are left alone")
  func changedPlan() async throws {
    let temporary = try TemporaryStore()
    let expected = try await begin(temporary)
    do {
      let store = try EventStore(at: temporary.url, plan: Second.self)
      let view = try store.view(DistancesOfSecond.self)
      try await view.waitUntil(600)
    }
    let store = try EventStore(at: temporary.url, plan: Third.self)
    let view = try store.view(DistancesOfThird.self)
    let reason = try #require(try view.status().reason)
    #expect(reason.contains("'Walked'") && reason.contains("from 2.0.0 to 3.0.0"), "\(reason)")
    try await waitUntil { try store.log.views().map(\.number) == [2] }
    try await view.waitUntil(600)
    #expect(try rows(of: view) == expected)
  }

  @Test("of two programs with different plans the newer one builds a view, and the older one reads it")
  func twoPlans() async throws {
    let temporary = try TemporaryStore()
    let expected = try await begin(temporary)
    let older = try EventStore(at: temporary.url, plan: Second.self)
    let view = try older.view(DistancesOfSecond.self)
    try await view.waitUntil(600)
    let newer = try EventStore(at: temporary.url, plan: Third.self)
    let other = try newer.view(DistancesOfThird.self)
    // Who neither reads nor folds anything finds no successor.
    try await waitUntil {
      _ = try rows(of: view)
      return try older.log.views().map(\.number) == [2]
    }
    try await other.waitUntil(600)
    try await waitUntil {
      if case .stopped(let error) = try view.status().state { return error.code == .superseded }
      return false
    }
    let last = try await older.append([NewEvent(.walked(.init(who: "p0", metres: 7)))], to: "walks")
      .positions[0]
    try await other.waitUntil(last)
    var after = expected
    after["p0", default: 0] += 7
    #expect(try rows(of: view) == after)
    #expect(try rows(of: other) == after)
    // Long enough for the threads that look after files to come by.
    try await Task.sleep(for: .milliseconds(400))
    #expect(try older.log.views().map(\.number) == [2])
    // An explicit rebuild builds it once; the newer program builds it again, and nothing more happens.
    try older.rebuild(DistancesOfSecond.self)
    try await waitUntil {
      (_, _) = (try rows(of: view), try rows(of: other))
      return try older.log.views().map(\.number) == [4]
    }
    try await Task.sleep(for: .milliseconds(400))
    #expect(try older.log.views().map(\.number) == [4])
    #expect(try rows(of: view) == after)
  }

  @Test("inputs are compared line by line, and those of stages that the plan has no more may go")
  func inputs() throws {
    let second = ProjectionInputs(try CompiledPlan(Second.self), cases: [0])
    let third = ProjectionInputs(try CompiledPlan(Third.self), cases: [0])
    #expect(ProjectionInputs(second.text)?.lines == second.lines)
    #expect(ProjectionInputs(third.text)?.lines == third.lines)
    #expect(second.reasonToRebuild(from: second, oldest: SchemaVersion(1, 0, 0)) == nil)
    #expect(third.reasonToRebuild(from: second, oldest: SchemaVersion(1, 0, 0)) != nil)
    // The rule of the first stage, and the record itself.
    #expect(second.lines.count == 2)
    let rests = ProjectionInputs(try CompiledPlan(Second.self), cases: [1])
    #expect(rests.lines.count == 1)
    let without = ProjectionInputs(lines: second.lines.filter { $0.kind == .record })
    #expect(without.reasonToRebuild(from: second, oldest: SchemaVersion(2, 0, 0)) == nil)
    #expect(without.reasonToRebuild(from: second, oldest: SchemaVersion(1, 0, 0)) != nil)
    #expect(second.reasonToRebuild(from: without, oldest: nil)?.contains("'Stroll'") == true)
  }
}
