import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum FilmsV1 {
  @Record struct FilmAdded: Equatable {
    var title: String
    var releaseDate: Date
    var premiere: String
  }
}

@Schema(2, 0, 0) enum FilmsV2 {
  @Record struct FilmAdded: Equatable {
    var title: String
    var year: Int
    var country: String?
  }
}

enum FilmPlan: SchemaMigrationPlan {
  /// The calendar of the rule: `Calendar.current` would give another year in another time zone.
  static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  static var stages: MigrationChain<FilmsV1, FilmsV2> {
    MigrationStage.custom(fromVersion: FilmsV1.self, toVersion: FilmsV2.self) {
      Upcast(\.filmAdded, to: \.filmAdded) { old, _ in
        .init(
          title: old.title, year: calendar.component(.year, from: old.releaseDate),
          country: country(of: old.premiere))
      }
    }
  }

  /// The text after the last comma. Without a comma, the country is unknown.
  static func country(of premiere: String) -> String? {
    let parts = premiere.split(separator: ",")
    guard parts.count > 1, let last = parts.last else { return nil }
    return last.trimmingCharacters(in: .whitespaces)
  }
}

extension FilmsV2.Event: Equatable {}

@Suite struct FilmTests {
  // Promise P85.
  @Test func `a date is parsed into a year by a calendar that is the same everywhere`() async throws {
    let place = try TemporaryStore()
    // 20:00 UTC on the last day of 1994: 1995 already in Kolkata.
    let evening = Date(timeIntervalSince1970: 788_904_000)
    try await place.write(
      [.filmAdded(.init(title: "Late", releaseDate: evening, premiere: "Mumbai, India"))], as: FilmsV1.self)
    #expect(
      try place.read(FilmPlan.self) == [.filmAdded(.init(title: "Late", year: 1994, country: "India"))])
  }

  @Test func `a value that cannot be derived stays nil`() async throws {
    let place = try TemporaryStore()
    let day = Date(timeIntervalSince1970: 817_084_800)
    try await place.write(
      [.filmAdded(.init(title: "Toys", releaseDate: day, premiere: "Hollywood"))], as: FilmsV1.self)
    #expect(try place.read(FilmPlan.self) == [.filmAdded(.init(title: "Toys", year: 1995, country: nil))])
  }
}
