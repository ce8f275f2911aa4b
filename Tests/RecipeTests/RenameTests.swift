import Annals
import Testing

@Schema(1, 0, 0) enum ReelsV1 {
  @Record struct PixarFilm: Equatable {
    var name: String
    var length: Int
  }
}

@Schema(1, 1, 0) enum ReelsV2 {
  @Record(formerly: ["PixarFilm"]) struct Film: Equatable {
    @Field(originalName: "name") var title: String
    var length: Int
  }
}

@Schema(1, 2, 0) enum ReelsV3 {
  @Record struct Film: Equatable {
    var title: String
    @Field(originalName: "length") var minutes: Int
  }
}

enum ReelPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ReelsV1, ReelsV3> {
    MigrationStage.lightweight(fromVersion: ReelsV1.self, toVersion: ReelsV2.self)
    MigrationStage.lightweight(fromVersion: ReelsV2.self, toVersion: ReelsV3.self)
  }
}

/// The same version 1 after a refactoring: Swift's names are others, the names on disk are the same.
@Schema(1, 0, 0) enum RefactoredReels {
  @Record("PixarFilm") struct AnimatedFilm: Equatable {
    @Field("name") var title: String
    @Field("length") var minutes: Int
  }
}

/// The field has another name and does not say which it had.
@Schema(1, 1, 0) enum ForgetfulReels {
  @Record struct PixarFilm: Equatable {
    var title: String?
    var length: Int
  }
}

@Schema(1, 0, 0) enum UntitledReels {
  @Record struct PixarFilm: Equatable {
    var name: String?
    var length: Int
  }
}

enum ForgetfulReelPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<UntitledReels, ForgetfulReels> {
    MigrationStage.lightweight(fromVersion: UntitledReels.self, toVersion: ForgetfulReels.self)
  }
}

/// The name is removed on purpose, and the new field is unrelated.
enum RemovingReelPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<UntitledReels, ForgetfulReels> {
    MigrationStage.lightweight(fromVersion: UntitledReels.self, toVersion: ForgetfulReels.self) {
      Unrelated(\.pixarFilm, old: \.name, new: \.title)
    }
  }
}

extension ReelsV3.Event: Equatable {}
extension RefactoredReels.Event: Equatable {}
extension UntitledReels.Event: Equatable {}
extension ForgetfulReels.Event: Equatable {}

@Suite struct RenameTests {
  // Promise P46.
  @Test func `fields and records keep their values under new names, also over several versions`() async throws
  {
    let place = try TemporaryStore()
    try await place.write([.pixarFilm(.init(name: "Up", length: 96))], as: ReelsV1.self)
    #expect(try place.read(ReelPlan.self) == [.film(.init(title: "Up", minutes: 96))])
  }

  // Promise P8.
  @Test func `names in Swift may change freely where the names on disk are said`() async throws {
    let place = try TemporaryStore()
    try await place.write([.pixarFilm(.init(name: "Up", length: 96))], as: ReelsV1.self)
    #expect(
      try place.read(OneSchema<RefactoredReels>.self) == [.animatedFilm(.init(title: "Up", minutes: 96))])
  }

  @Test func `a new name without the old one reads nil, and the stored value is still there`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.pixarFilm(.init(name: "Up", length: 96))], as: UntitledReels.self)
    let nameless = ForgetfulReels.Event.pixarFilm(.init(title: nil, length: 96))
    #expect(try place.read(ForgetfulReelPlan.self) == [nameless])
    #expect(try place.read(RemovingReelPlan.self) == [nameless])
    #expect(
      try place.read(OneSchema<UntitledReels>.self) == [.pixarFilm(.init(name: "Up", length: 96))])
  }
}
