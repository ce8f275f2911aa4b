import Annals
import AnnalsTesting
import Testing

@Schema(1, 0, 0) enum RoomsV1 {
  @Record struct Entered: Equatable {
    var who: String
    static var samples: [Self] { [.init(who: "Ann"), .init(who: "")] }
  }
  @Record struct Left: Equatable {
    var who: String
    static var samples: [Self] { [.init(who: "Ben")] }
  }
}

@Schema(2, 0, 0) enum RoomsV2 {
  typealias Entered = RoomsV1.Entered
  typealias Left = RoomsV1.Left
}

@Schema(3, 0, 0) enum RoomsV3 {
  typealias Entered = RoomsV2.Entered
  @Record struct Left: Equatable {
    var who: String
    var isLast: Bool
    static var samples: [Self] { [.init(who: "Ben", isLast: true)] }
  }
}

enum RoomPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<RoomsV1, RoomsV3> {
    MigrationStage.custom(fromVersion: RoomsV1.self, toVersion: RoomsV2.self) {
      Streams { events, origin in
        if case .left = events.first { return .moves(to: "exits") }
        return .moves(to: StreamName("room \(origin.stream)"))
      }
    }
    MigrationStage.custom(fromVersion: RoomsV2.self, toVersion: RoomsV3.self) {
      Upcast(\.left, to: \.left) { old, _ in .init(who: old.who, isLast: false) }
    }
  }
}

/// The test support for a plan that moves streams.
@Suite struct StreamsTests {
  @Test func `every version reads as every later one`() async throws {
    try await MigrationHarness(RoomPlan.self).check(requiringSamples: true)
    try await Laws.pathIndependence(of: RoomPlan.self)
  }

  @Test func `a store is led over the stage before it is compared`() async throws {
    let place = try TestStore()
    try await place.seed(RoomsV1.self) { call in
      call.append([.entered(.init(who: "Ann")), .left(.init(who: "Ann"))], to: "1")
      call.append([.left(.init(who: "Ben"))], to: "2")
    }
    let report = try await Laws.rewriting(of: RoomPlan.self, store: place.url)
    #expect(report.isDone && report.entries == 3)
    try Laws.coordinates(of: RoomPlan.self, in: place)
    #expect(try place.activate(plan: RoomPlan.self).log.moved(from: "1") == ["room 1", "exits"])
  }
}
