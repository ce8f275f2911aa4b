import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// Opening a store: one call, any number of openers, and nothing is touched where it fails.
@Suite struct OpeningContractTests {
  /// A store that holds an event of the market's first version.
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: FirstMarketPlan.self).append(
      [.noted(.init(text: "first"))], to: "stall-1")
    return place
  }

  // Promise P23.
  @Test func `appended events are stored under the plan's newest version, which no caller names`()
    async throws
  {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: MarketPlan.self)
    try await store.append([.wordAdded(.init(word: "tea"))], to: "stall-1")
    let versions = try store.log.read { (log) throws(AnnalsError) in try log.all().map(\.version) }
    #expect(versions == [SchemaVersion(1, 0, 0), SchemaVersion(3, 0, 0)])
  }

  // Promise P28.
  @Test func `opening again changes nothing`() async throws {
    let place = try await seeded()
    let files = try place.files()
    for _ in 0..<3 {
      #expect(try EventStore(at: place.url, plan: MarketPlan.self).delivered().count == 1)
    }
    #expect(try place.files() == files)
  }

  @Test func `several openers with plans of their own share one store`() async throws {
    let place = try await seeded()
    let older = try EventStore(at: place.url, plan: FirstMarketPlan.self)
    let newer = try EventStore(at: place.url, plan: MarketPlan.self)
    try await older.append([.noted(.init(text: "second"))], to: "stall-1", expecting: .revision(0))
    #expect(try newer.delivered().count == 2)
    try await newer.append([.shipped(.init(parcel: "p-1"))], to: "stall-1", expecting: .revision(1))
    #expect(try newer.delivered(in: "stall-1").count == 3)
  }

  @Test func `an event that a newer program stored meanwhile is an error of its own for an older one`()
    async throws
  {
    let place = try await seeded()
    let older = try EventStore(at: place.url, plan: FirstMarketPlan.self)
    let newer = try EventStore(at: place.url, plan: MarketPlan.self)
    try await newer.append([.shipped(.init(parcel: "p-1"))], to: "stall-1")
    let error = #expect(throws: AnnalsError.self) { try older.delivered() }
    #expect(error?.code == .newerSchema)
    #expect(error?.details.position == 2)
    #expect(try older.delivered(limit: 1).count == 1)
  }

  // Promise P29.
  @Test func `another process reads the events of this one, and this one those of the other`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: MarketPlan.self)
    try await store.append([.shipped(.init(parcel: "p-1"))], to: "stall-1")
    await #expect(processExitsWith: .success) { [path = place.url.path as String] in
      let store = try EventStore(at: URL(filePath: path), plan: MarketPlan.self)
      guard try store.delivered().count == 2 else { exit(EXIT_FAILURE) }
      try await store.append([.wordAdded(.init(word: "tea"))], to: "stall-1", expecting: .revision(1))
    }
    #expect(try store.delivered().count == 3)
    let done = try await store.append(
      [.wordAdded(.init(word: "milk"))], to: "stall-1", expecting: .revision(2))
    #expect(done.position == 4)
  }

  // Promise P130.
  @Test func `inspecting needs no plan and changes nothing`() async throws {
    let place = try await seeded()
    let files = try place.files()
    let info = try EventLog.inspect(place.url)
    #expect(info.entries == 1)
    #expect(info.streams == 1)
    #expect(info.census.map(\.type) == ["Noted"])
    #expect(info.schemas.map(\.version) == [SchemaVersion(1, 0, 0)])
    #expect(info.format == 1)
    #expect(try place.files() == files)
  }

  @Test func `inspecting reports on a store that no plan of this program opens`() async throws {
    let place = try await seeded()
    try await EventLog(at: place.url).append(
      [NewEntry(type: "Lost", version: SchemaVersion(9, 1, 2), payload: try Payload([:]))], to: "lost")
    #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: MarketPlan.self) }
    #expect(
      try EventStore<MarketPlan>.inspect(place.url).census.map(\.version) == [
        SchemaVersion(1, 0, 0), SchemaVersion(9, 1, 2),
      ])
  }
}
