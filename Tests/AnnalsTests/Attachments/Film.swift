import Foundation

@testable import Annals

/// Photos of several films in one entry.
@Schema(1, 0, 0) enum FilmV1 {
  @Record struct Shot: Equatable {
    var films: [String]
    var photos: [Attachment]
  }
}

/// An event for each photo.
@Schema(2, 0, 0) enum FilmV2 {
  @Record struct Frame: Equatable {
    var film: String
    var photo: Attachment
  }
}

/// An event for the neighbouring photos of a film.
@Schema(3, 0, 0) enum FilmV3 {
  @Record struct Roll: Equatable { var photos: [Attachment] }
}

/// Without photos.
@Schema(2, 0, 0) enum CountV2 {
  @Record struct Shot: Equatable { var count: Int }
}

/// With another name of the count.
@Schema(3, 0, 0) enum CountV3 {
  @Record struct Shot: Equatable { @Field(originalName: "count") var number: Int }
}

enum FilmFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<FilmV1, FilmV1> {}
}

enum FilmPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<FilmV1, FilmV3> {
    MigrationStage.custom(fromVersion: FilmV1.self, toVersion: FilmV2.self) {
      Split(\.shot, into: [\.frame]) { old, _ in
        zip(old.films, old.photos).map { .frame(.init(film: $0, photo: $1)) }
      }
    }
    MigrationStage.custom(fromVersion: FilmV2.self, toVersion: FilmV3.self) {
      Fold(
        \.frame, into: \.roll, grouping: { old, _ in old.film }, from: FilmV3.Roll(photos: [])
      ) { roll, old, _ in
        roll.photos.append(old.photo)
      } result: { roll, _ in
        roll
      }
    }
  }
}

/// Leaves out photos, and shots with several.
enum CountPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<FilmV1, CountV2> { counting }

  static var counting: MigrationStage<FilmV1, CountV2> {
    MigrationStage.custom(fromVersion: FilmV1.self, toVersion: CountV2.self) {
      Split(\.shot, into: [\.shot], emptyBecause: "several photos") { old, _ in
        old.photos.count > 1 ? [] : [.shot(.init(count: old.photos.count))]
      }
    }
  }
}

enum NumberPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<FilmV1, CountV3> {
    CountPlan.counting
    MigrationStage.lightweight(fromVersion: CountV2.self, toVersion: CountV3.self)
  }
}
