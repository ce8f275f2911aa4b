import Annals
import Testing

@Schema(1, 0, 0) enum LampsV1 {
  @Record struct LampSwitched: Equatable {
    var room: String
    var on: Bool
  }
}

/// Version 1 as it appears in the code years later.
@Schema(1, 0, 0) enum OldLamps {
  struct LampSwitched: TreeRecord { var tree: CBOR }
}

@Schema(2, 0, 0) enum LampsV2 {
  @Record struct LightChanged: Equatable {
    var room: String
    var level: Int
  }
}

enum LampPlan: SchemaMigrationPlan {
  struct NoLamp: Error {}

  static var stages: MigrationChain<OldLamps, LampsV2> {
    MigrationStage.custom(fromVersion: OldLamps.self, toVersion: LampsV2.self) {
      Upcast(\.lampSwitched, to: \.lightChanged) { old, _ in
        guard case .text(let room)? = old.tree["room"], case .bool(let on)? = old.tree["on"] else {
          throw NoLamp()
        }
        return .init(room: room, level: on ? 100 : 0)
      }
    }
  }
}

extension LampsV2.Event: Equatable {}

@Suite struct TreeRecordTests {
  // Promise P37.
  @Test func `an old record needs no Swift struct, and a rule takes it apart by the names of its fields`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.lampSwitched(.init(room: "hall", on: true))], as: LampsV1.self)
    #expect(try place.read(LampPlan.self) == [.lightChanged(.init(room: "hall", level: 100))])
  }
}
