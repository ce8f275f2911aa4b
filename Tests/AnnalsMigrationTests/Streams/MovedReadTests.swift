import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// A read of a stream, page by page, over a pass that gives the stream other entries.
@Suite struct MovedReadTests {
  @Schema(1, 0, 0) enum HallsV1 {
    @Record struct Met: Equatable { var hall: String; var n: Int }
  }
  @Schema(2, 0, 0) enum HallsV2 {
    typealias Met = HallsV1.Met
  }
  enum First: SchemaMigrationPlan {
    static var stages: MigrationChain<HallsV1, HallsV1> {}
  }
  /// As many entries come to the stream "t" as leave it, so that its newest one keeps its revision.
  enum Early: SchemaMigrationPlan {
    static var stages: MigrationChain<HallsV1, HallsV2> { MovedReadTests.stage(600..<700) }
  }
  enum Late: SchemaMigrationPlan {
    static var stages: MigrationChain<HallsV1, HallsV2> { MovedReadTests.stage(800..<900) }
  }

  private static func stage(_ coming: Range<Int>) -> MigrationStage<HallsV1, HallsV2> {
    MigrationStage.custom(fromVersion: HallsV1.self, toVersion: HallsV2.self) {
      Streams { events, _ in
        guard case .met(let met) = events.first else { return .stays }
        if met.hall == "t", (100..<200).contains(met.n) { return .moves(to: "z") }
        if met.hall == "m", coming.contains(met.n) { return .moves(to: "t") }
        return .stays
      }
    }
  }

  private func read<Plan: SchemaMigrationPlan>(over plan: Plan.Type) async throws -> AnnalsError? {
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: First.self)
      try await store.append { call in
        for n in 0..<1_000 {
          call.append([.met(.init(hall: "m", n: n))], to: "m")
          call.append([.met(.init(hall: "t", n: n))], to: "t")
        }
      }
    }
    let log = try EventLog(at: place.url)
    var count = 0
    do {
      for try await _ in log.entries(in: "t") {
        count += 1
        if count == 10 { try await place.migrate(plan) }
      }
    } catch let error as AnnalsError {
      return error
    }
    return nil
  }

  @Test func `it ends with an error, also if as many entries come as go`() async throws {
    let early = try await read(over: Early.self)
    #expect(early?.code == .streamMoved && early?.details.stream == "t", "\(String(describing: early))")
    let late = try await read(over: Late.self)
    #expect(late?.code == .streamMoved && late?.details.stream == "t", "\(String(describing: late))")
  }
}
