import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

@Schema(1, 0, 0) private enum GuestsV1 {
  @Record fileprivate struct Came { var name: String }
}
@Schema(2, 0, 0) private enum GuestsV2 {
  @Record fileprivate struct Seated: Equatable { var seat: Int }
}
extension GuestsV2.Event: Equatable {}

private struct Names: Codable {
  var names: [String] = []
}

private enum FirstGuests: SchemaMigrationPlan {
  static var stages: MigrationChain<GuestsV1, GuestsV1> {}
}

/// Guests get the seats of their names, which the context of the stage has.
private enum GuestPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<GuestsV1, GuestsV2> {
    MigrationStage.custom(
      fromVersion: GuestsV1.self, toVersion: GuestsV2.self,
      prepare: { history in
        try history.reduce(into: Names()) { found, entry in
          if case .came(let guest) = entry.event { found.names.append(guest.name) }
        }
      }
    ) {
      Upcast(\.came, to: \.seated) { old, _, found in .init(seat: found.names.firstIndex(of: old.name) ?? -1)
      }
    }
  }
}

/// What stages have worked out from events that are erased.
@Suite struct ErasedContextTests {
  private static let secret = "Wilhelmina Zuckerberg"
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func store() throws(AnnalsError) -> EventStore<GuestPlan> {
    var options = StoreOptions()
    options.activating = true
    return try EventStore(at: place.url, plan: GuestPlan.self, options: options)
  }

  private func hasSecret() throws -> Bool {
    let files = FileManager.default.enumerator(at: place.url, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard let data = try? Data(contentsOf: file) else { continue }
      if data.range(of: Data(Self.secret.utf8)) != nil { return true }
    }
    return false
  }

  @Test func `a context with something of an erased event leaves with contract, and its bytes with a pass`()
    async throws
  {
    do {
      let first = try EventStore(at: place.url, plan: FirstGuests.self)
      try await first.append([.came(.init(name: Self.secret)), .came(.init(name: "Ann"))], to: "guests")
    }
    do {
      let store = try store()
      try store.erase([1], by: "jane", because: "request")
      // The other guest keeps the seat.
      let seats = try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        var seats: [GuestsV2.Event] = []
        while let entry = try entries.next() { seats.append(entry.event) }
        return seats
      }
      #expect(seats == [.seated(.init(seat: 1))])
      #expect(try store.log.erasures()[0].remains == [.generation(1), .context("2.0.0")])
      _ = try await store.migrate().report()
      #expect(try store.log.erasures()[0].remains == [.generation(1), .context("2.0.0")])
    }
    _ = try EventLog.discardPrevious(place.url)
    do {
      let store = try store()
      #expect(try store.log.erasures()[0].remains == [.context("2.0.0")])
      #expect(try hasSecret())
      let losses = try store.contract(.init(isRehearsal: true))
      #expect(losses.contexts == [SchemaVersion(2, 0, 0)])
      #expect(try store.contract(.init(confirming: losses.droppedEntries)).isContracted)
      // Free pages of the file still have it.
      #expect(try store.log.erasures()[0].remains == [.generation(2)])
      _ = try await store.log.compact().report()
    }
    _ = try EventLog.discardPrevious(place.url)
    let store = try store()
    #expect(try store.log.erasures()[0].remains == [])
    #expect(try !hasSecret())
    #expect(try EventLog.verify(place.url).isClean)
  }
  @Test func `a generation that was rolled back before contract may have contexts, too`() async throws {
    do {
      let first = try EventStore(at: place.url, plan: FirstGuests.self)
      try await first.append([.came(.init(name: Self.secret)), .came(.init(name: "Ann"))], to: "guests")
    }
    let store = try store()
    try store.erase([1], by: "jane", because: "request")
    _ = try await store.migrate().report()
    _ = try await store.log.compact().report()
    let backup = place.url.deletingLastPathComponent().appendingPathComponent("copy.annals")
    let id = try #require(try store.backup(to: backup).backup)
    _ = try EventLog.rollback(place.url)
    #expect(try store.log.info().generation == 2)
    let losses = try store.contract(.init(isRehearsal: true))
    #expect(try store.contract(.init(confirming: losses.droppedEntries)).isContracted)
    _ = try await store.log.compact().report()
    #expect(try store.log.info().generation == 4)
    #expect(
      try store.log.erasures()[0].remains == [
        .generation(1), .generation(2), .generation(3), .backup(id, at: backup.path),
      ])
    _ = try EventLog.discardPrevious(place.url)
    #expect(try store.log.erasures()[0].remains == [.backup(id, at: backup.path)])
    #expect(try !hasSecret())
  }
}
