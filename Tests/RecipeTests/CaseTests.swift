import Annals
import Testing

@Schema(1, 0, 0) enum ParcelsV1 {
  @Value enum Status: Equatable {
    case packed, sent
    @UnknownCase case other
  }
  @Record struct ParcelMoved: Equatable { var status: Status }
}

@Schema(1, 1, 0) enum ParcelsV2 {
  @Value enum Status: Equatable {
    case packed, sent
    case lost(since: Int)
    @UnknownCase case other
  }
  @Record struct ParcelMoved: Equatable { var status: Status }
}

@Schema(2, 0, 0) enum ParcelsV3 {
  @Value enum Status: Equatable {
    case waiting, travelling, missing
  }
  @Record struct ParcelMoved: Equatable { var status: Status }
}

enum ParcelPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ParcelsV1, ParcelsV3> {
    MigrationStage.lightweight(fromVersion: ParcelsV1.self, toVersion: ParcelsV2.self)
    MigrationStage.custom(fromVersion: ParcelsV2.self, toVersion: ParcelsV3.self) {
      Upcast(\.parcelMoved, to: \.parcelMoved) { old, _ in
        switch old.status {
        case .packed: .init(status: .waiting)
        case .sent: .init(status: .travelling)
        case .lost, .other: .init(status: .missing)
        }
      }
    }
  }
}

extension ParcelsV1.Event: Equatable {}
extension ParcelsV3.Event: Equatable {}

/// The plan of the second release.
enum SecondParcelPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ParcelsV1, ParcelsV2> {
    MigrationStage.lightweight(fromVersion: ParcelsV1.self, toVersion: ParcelsV2.self)
  }
}

@Suite struct CaseTests {
  @Test func `a new case needs no rule, a case that is gone or renamed does`() async throws {
    let place = try TemporaryStore()
    try await place.write(
      [.parcelMoved(.init(status: .packed)), .parcelMoved(.init(status: .sent))], as: ParcelsV1.self)
    #expect(
      try place.read(ParcelPlan.self) == [
        .parcelMoved(.init(status: .waiting)), .parcelMoved(.init(status: .travelling)),
      ])
  }

  @Test func `an older program reads a case that it does not know as the one it has for that`() async throws {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: SecondParcelPlan.self).append(
      [.parcelMoved(.init(status: .lost(since: 3))), .parcelMoved(.init(status: .sent))], to: "all")
    #expect(
      try place.read(OneSchema<ParcelsV1>.self) == [
        .parcelMoved(.init(status: .other)), .parcelMoved(.init(status: .sent)),
      ])
  }
}
