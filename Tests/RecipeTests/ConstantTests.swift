import Annals
import Testing

@Schema(1, 0, 0) enum ShelvesV1 {
  @Record struct BookAdded: Equatable { var title: String }
}

@Schema(2, 0, 0) enum ShelvesV2 {
  @Record struct BookAdded: Equatable {
    var title: String
    var language: String = "unknown"
    var tags: [String] = []
  }
}

enum ShelfPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ShelvesV1, ShelvesV2> {
    MigrationStage.lightweight(fromVersion: ShelvesV1.self, toVersion: ShelvesV2.self) {
      Default(\.bookAdded, \.language, "en")
      Default(\.bookAdded, \.tags, [])
    }
  }
}

/// It relies on the initial values of the properties.
enum CarelessShelfPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ShelvesV1, ShelvesV2> {
    MigrationStage.lightweight(fromVersion: ShelvesV1.self, toVersion: ShelvesV2.self)
  }
}

extension ShelvesV2.Event: Equatable {}

@Suite struct ConstantTests {
  // Promise P40.
  @Test
  func
    `a constant for a new field stands in the stage, and an initial value of the property is never taken for it`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.bookAdded(.init(title: "Emma"))], as: ShelvesV1.self)
    #expect(
      try place.read(ShelfPlan.self) == [.bookAdded(.init(title: "Emma", language: "en", tags: []))])
  }

  @Test func `a new field that must have a value and has no constant makes the plan invalid`() async throws {
    let place = try TemporaryStore()
    try await place.write([.bookAdded(.init(title: "Emma"))], as: ShelvesV1.self)
    let error = #expect(throws: AnnalsError.self) { try place.read(CarelessShelfPlan.self) }
    #expect(error?.code == .invalidPlan)
    let message = try #require(error?.message)
    #expect(message.contains("language") && message.contains("tags"), "\(message)")
  }
}
