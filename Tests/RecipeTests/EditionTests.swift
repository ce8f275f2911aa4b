import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum EditionsV1 {
  @Record struct BookPrinted: Equatable { var title: String }
}

@Schema(2, 0, 0) enum EditionsV2 {
  @Record struct BookPrinted: Equatable {
    var title: String
    var edition: Int
  }
}

enum EditionPlan: SchemaMigrationPlan {
  struct Editions: Codable, Sendable {
    var byPosition: [Position: Int] = [:]
    var count: [String: Int] = [:]
  }

  static var stages: MigrationChain<EditionsV1, EditionsV2> {
    MigrationStage.custom(
      fromVersion: EditionsV1.self, toVersion: EditionsV2.self,
      prepare: { history in
        try history.reduce(into: Editions()) { editions, entry in
          guard case .bookPrinted(let book) = entry.event else { return }
          editions.count[book.title, default: 0] += 1
          editions.byPosition[entry.position] = editions.count[book.title]
        }.byPosition
      }
    ) {
      Upcast(\.bookPrinted, to: \.bookPrinted) { old, origin, editions in
        .init(title: old.title, edition: editions[origin.position] ?? 1)
      }
    }
  }
}

/// An event whose title is already in the log is a mistake.
enum DeduplicatingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<EditionsV1, EditionsV2> {
    MigrationStage.custom(
      fromVersion: EditionsV1.self, toVersion: EditionsV2.self,
      prepare: { history in
        try history.duplicates { entry in
          if case .bookPrinted(let book) = entry.event { cleaned(book.title) } else { nil }
        }
      }
    ) {
      Split(\.bookPrinted, into: [\.bookPrinted]) { old, origin, duplicates in
        guard !duplicates.contains(origin.position) else { return [] }
        return [.bookPrinted(.init(title: cleaned(old.title), edition: 1))]
      }
    }
  }

  /// The title without blanks around it.
  static func cleaned(_ title: String) -> String {
    title.trimmingCharacters(in: .whitespaces)
  }
}

extension EditionsV2.Event: Equatable {}

@Suite struct EditionTests {
  private func seeded(_ titles: [String]) async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.write(titles.map { .bookPrinted(.init(title: $0)) }, as: EditionsV1.self)
    return place
  }

  // Promise P103.
  @Test func `positions keep the editions of events with equal titles apart`() async throws {
    let place = try await seeded(["Emma", "Persuasion", "Emma"])
    #expect(
      try place.read(EditionPlan.self, activating: true) == [
        .bookPrinted(.init(title: "Emma", edition: 1)),
        .bookPrinted(.init(title: "Persuasion", edition: 1)),
        .bookPrinted(.init(title: "Emma", edition: 2)),
      ])
  }

  // Promise P102.
  @Test func `the context is in the store, so that no crash or second process loses it`() async throws {
    let place = try await seeded(["Emma", "Emma"])
    let events = try place.read(EditionPlan.self, activating: true)
    // Later printings do not change the computed editions.
    try await EventStore(at: place.url, plan: EditionPlan.self).append(
      [.bookPrinted(.init(title: "Emma", edition: 3))], to: "all")
    #expect(try place.read(EditionPlan.self).prefix(2) == events[...])
  }

  // Promise P94.
  @Test func `texts are cleaned and doubles dropped, even with other events between them`() async throws {
    let place = try await seeded(["Emma", " Persuasion", "Emma "])
    #expect(
      try place.read(DeduplicatingPlan.self, activating: true) == [
        .bookPrinted(.init(title: "Emma", edition: 1)),
        .bookPrinted(.init(title: "Persuasion", edition: 1)),
      ])
  }
}
