import Annals
import AnnalsTesting
import Foundation
import Testing

/// Names that no two things may share, enforced by every append, and ids that are derived from a thing's
/// identity.
@Suite struct UniqueTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func open(activating: Bool = false) throws -> EventStore<TownPlan> {
    var options = StoreOptions()
    options.activating = activating
    return try EventStore(at: place.url, plan: TownPlan.self, options: options, inline: [Towns.self])
  }

  // Promise P176.
  @Test func `a second thing of one name is refused, whichever program appends it`() async throws {
    // The projection is new to a store with events, and programs append without it until the activation.
    let unaware = try EventStore(at: place.url, plan: TownPlan.self)
    try await unaware.append([.townFounded(.init(id: UUID(), name: "Wells"))], to: "towns")
    let one = try open()
    try await unaware.append([.townFounded(.init(id: UUID(), name: "Bath"))], to: "towns")
    let other = try open(activating: true)
    try await one.append([.townFounded(.init(id: UUID(), name: "York"))], to: "towns")
    let error = await #expect(throws: AnnalsError.self) {
      try await other.append([.townFounded(.init(id: UUID(), name: "Bath"))], to: "towns")
    }
    #expect(error?.code == .rejected)
    let count = try await other.entries().reduce(into: 0) { count, _ in count += 1 }
    #expect(count == 3)
    // A program that does not know the rule reads, and appends nothing any more.
    let refused = await #expect(throws: AnnalsError.self) {
      try await unaware.append([.townFounded(.init(id: UUID(), name: "Wells"))], to: "towns")
    }
    #expect(refused?.code == .superseded)
  }

  // Promise P177.
  @Test func `many writers at once found each town once`() async throws {
    let store = try open()
    let founded = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<60 {
        group.addTask {
          do {
            try await store.append(
              [.townFounded(.init(id: UUID(), name: "Town \(number % 7)"))], to: "writer-\(number)")
            return true
          } catch {
            return false
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(founded == 7)
    try ProjectionLaws.check(Towns.self, in: store)
  }
}

@Schema(1, 0, 0) enum TownsV1 {
  @Record struct TownFounded { var id: UUID; var name: String }
}

enum TownPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TownsV1, TownsV1> {}
}

enum Towns: InlineProjection {
  typealias Event = TownsV1.Event
  @Record struct Town: ProjectionRow {
    var id: UUID
    var name: String

    var key: UUID { id }
    static let byName = SecondaryKey<Town, String>("name", unique: true) { $0.name }
    static var secondaryKeys: [any DeclaredKey<Town>] { [byName] }
  }

  static let name = "towns"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Town.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .townFounded(let town): try rows.put(Town(id: town.id, name: town.name))
    }
  }
}
