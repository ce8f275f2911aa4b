import Annals

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A store that passes are tried on, and how it is read.
package enum MealStore {
  /// The number of streams of the initial orders.
  private static let streams = 23

  /// Creates the store at `url` with `count` calls of the plan's first version.
  package static func seed(_ url: URL, calls count: Int) async throws {
    var options = StoreOptions()
    options.entriesPerMerge = 64
    let store = try EventStore(at: url, plan: FirstMeals.self, options: options)
    for number in 0..<count {
      let events: [MealsV1.Event] = [
        .ordered(.init(guest: "guest \(number)", dishes: number % 4)), .pinged(.init(number: number)),
        .noted(.init(who: "cook \(number)", text: String(repeating: "n", count: number % 90))),
      ]
      try await store.append(events, to: StreamName("table \(number % streams)"))
    }
  }

  /// An event as the plan reads it.
  package struct Reading: Equatable, Sendable {
    package let position: UInt64
    package let revision: UInt64
    package let id: UUID?
    /// The event in words.
    package let event: String
    /// The event's place, and the time it was stored.
    package let place: String
  }

  /// Reads all events through the plan.
  package static func read(_ url: URL) throws -> [Reading] {
    let store = try EventStore(
      at: url, plan: Meals.self, options: StoreOptions(access: .readOnly, creation: .never))
    return try store.read { (snapshot) throws(AnnalsError) in
      var all: [Reading] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        all.append(
          Reading(
            position: entry.position.rawValue, revision: entry.revision.rawValue, id: entry.id,
            event: entry.event.text,
            place: "\(entry.path) \(entry.stream) \(entry.timestamp)"))
      }
      return all
    }
  }
}
