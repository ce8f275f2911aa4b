import Annals
import Foundation
import Synchronization
import Testing

/// Every order has to have lines in version 2.
enum StrictShopPlan: SchemaMigrationPlan {
  struct OrderWithoutLines: Error {}

  static var stages: MigrationChain<ShopV1, ShopV2> {
    MigrationStage.custom(fromVersion: ShopV1.self, toVersion: ShopV2.self) {
      Upcast(\.placed, to: \.placed) { old, origin in
        guard !old.lines.isEmpty else { throw OrderWithoutLines() }
        return .init(lines: old.lines, total: old.total, currency: "EUR")
      }
    }
  }
}

/// Reads all orders that can be decoded, and reports the others to `report`.
func readWhatCanBeRead(
  at url: URL, report: @escaping @Sendable (String) -> Void
) async throws -> [StrictShopPlan.Current.Event] {
  var options = StoreOptions()
  options.unreadable = .quarantine { entry in
    report("passed over position \(entry.position) of '\(entry.stream)': \(entry.cause.code)")
  }
  let store = try EventStore(at: url, plan: StrictShopPlan.self, options: options)
  var events: [StrictShopPlan.Current.Event] = []
  for try await entry in store.entries() { events.append(entry.event) }
  return events
}

@Suite struct QuarantineTests {
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.write(
      [
        .placed(.init(lines: ["tea"], total: 3)), .placed(.init(lines: [], total: 0)),
        .shipped(.init(parcel: "p-1")),
      ], as: ShopV1.self)
    return place
  }

  @Test func `a rule that throws stops the reader at its entry, with place, type, step and cause`()
    async throws
  {
    let place = try await seeded()
    let error = #expect(throws: AnnalsError.self) { try place.read(StrictShopPlan.self) }
    #expect(error?.code == .ruleFailed)
    #expect(error?.details.position == 2)
    #expect(error?.details.type == "Placed")
    #expect(error?.underlying is StrictShopPlan.OrderWithoutLines)
  }

  // Promise P110.
  @Test func `a reader with quarantine continues and gets reports of skipped entries`() async throws {
    let place = try await seeded()
    let reports = Mutex<[String]>([])
    let events = try await readWhatCanBeRead(at: place.url) { line in reports.withLock { $0.append(line) } }
    #expect(
      events == [
        .placed(.init(lines: ["tea"], total: 3, currency: "EUR")), .shipped(.init(parcel: "p-1")),
      ])
    #expect(reports.withLock { $0 } == ["passed over position 2 of 'all': ruleFailed"])
  }
}
