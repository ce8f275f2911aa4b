import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum MeasuresV1 {
  @Record struct RunLogged: Equatable {
    var meters: Int32
    var pace: Float
    var track: String
  }
}

@Schema(2, 0, 0) enum MeasuresV2 {
  @Record struct RunLogged: Equatable {
    var meters: Int64
    var pace: Double
    var track: Data
  }
}

/// Meters become whole kilometers, which loses something.
@Schema(3, 0, 0) enum MeasuresV3 {
  @Record struct RunLogged: Equatable {
    @Field("km") var kilometers: Int
    var pace: Double
  }
}

enum WideningPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<MeasuresV1, MeasuresV2> {
    MigrationStage.lightweight(fromVersion: MeasuresV1.self, toVersion: MeasuresV2.self)
  }
}

enum MeasurePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<MeasuresV1, MeasuresV3> {
    MigrationStage.lightweight(fromVersion: MeasuresV1.self, toVersion: MeasuresV2.self)
    MigrationStage.custom(fromVersion: MeasuresV2.self, toVersion: MeasuresV3.self) {
      Upcast(\.runLogged, to: \.runLogged) { old, _ in
        .init(kilometers: Int(old.meters / 1000), pace: old.pace)
      }
    }
  }
}

/// It takes the narrower type for a lightweight change.
enum NarrowingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<MeasuresV2, MeasuresV1Again> {
    MigrationStage.lightweight(fromVersion: MeasuresV2.self, toVersion: MeasuresV1Again.self)
  }
}

@Schema(4, 0, 0) enum MeasuresV1Again {
  @Record struct RunLogged: Equatable {
    var meters: Int32
    var pace: Double
    var track: Data
  }
}

extension MeasuresV2.Event: Equatable {}
extension MeasuresV3.Event: Equatable {}

@Suite struct TypeChangeTests {
  @Test func `a type that holds every older value needs no rule`() async throws {
    let place = try TemporaryStore()
    try await place.write([.runLogged(.init(meters: 5_400, pace: 4.5, track: "T"))], as: MeasuresV1.self)
    #expect(
      try place.read(WideningPlan.self) == [
        .runLogged(.init(meters: 5_400, pace: 4.5, track: Data([0x54])))
      ])
  }

  @Test func `a type that does not is an invalid plan, and takes a rule`() async throws {
    let place = try TemporaryStore()
    try await place.write([.runLogged(.init(meters: 5_400, pace: 4.5, track: "T"))], as: MeasuresV1.self)
    #expect(try place.read(MeasurePlan.self) == [.runLogged(.init(kilometers: 5, pace: 4.5))])
    let error = #expect(throws: AnnalsError.self) { try TemporaryStore().read(NarrowingPlan.self) }
    #expect(error?.code == .invalidPlan)
    #expect(error?.message.contains("from int64 to int32") == true, "\(String(describing: error))")
  }
}
