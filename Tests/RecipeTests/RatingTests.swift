import Annals
import Testing

@Schema(1, 0, 0) enum RestaurantsV1 {
  @Record struct RestaurantRated: Equatable {
    var name: String
    var rating: String
  }
}

@Schema(2, 0, 0) enum RestaurantsV2 {
  @Record struct RestaurantRated: Equatable {
    var name: String
    @Field("stars") var rating: Int?
  }
}

enum RestaurantPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<RestaurantsV1, RestaurantsV2> {
    MigrationStage.custom(fromVersion: RestaurantsV1.self, toVersion: RestaurantsV2.self) {
      Upcast(\.restaurantRated, to: \.restaurantRated) { old, _ in
        .init(name: old.name, rating: Int(old.rating))
      }
    }
  }
}

extension RestaurantsV1.Event: Equatable {}
extension RestaurantsV2.Event: Equatable {}

@Suite struct RatingTests {
  // Promise P86.
  @Test func `a text becomes a number, and any other text stays unknown`() async throws {
    let place = try TemporaryStore()
    try await place.write(
      ["4", "n/a", ""].map { .restaurantRated(.init(name: "Roma", rating: $0)) }, as: RestaurantsV1.self)
    #expect(
      try place.read(RestaurantPlan.self)
        == [4, nil, nil].map { .restaurantRated(.init(name: "Roma", rating: $0)) })
  }

  @Test func `an older program does not take a number for its text`() async throws {
    let place = try TemporaryStore()
    try await place.write([.restaurantRated(.init(name: "Roma", rating: 4))], as: RestaurantsV2.self)
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) { try place.read(OneSchema<RestaurantsV1>.self) }
    #expect(error?.code == .newerSchema)
    #expect(try place.files() == files)
  }
}
