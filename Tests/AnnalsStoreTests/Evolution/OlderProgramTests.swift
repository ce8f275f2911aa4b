import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

@Suite struct OlderProgramTests {
  @Schema(1, 0, 0) enum Parks1 {
    @Record struct ParkAdded: Equatable {
      var name: String
      var area: Int32
    }
  }
  /// A superset: all that the first version has is still there.
  @Schema(2, 0, 0) enum Parks2 {
    @Record struct ParkAdded: Equatable {
      var city: String?
      var name: String
      var area: Int64
    }
  }
  /// The first version's fields are gone.
  @Schema(2, 0, 0) enum Parks2Narrow {
    @Record struct ParkAdded: Equatable { var area: Int32 }
  }
  enum Plan1: SchemaMigrationPlan {
    static var stages: MigrationChain<Parks1, Parks1> {}
  }
  enum Plan2: SchemaMigrationPlan {
    static var stages: MigrationChain<Parks1, Parks2> {
      MigrationStage.lightweight(fromVersion: Parks1.self, toVersion: Parks2.self)
    }
  }
  enum PlanNarrow: SchemaMigrationPlan {
    static var stages: MigrationChain<Parks2Narrow, Parks2Narrow> {}
  }

  @Test func `a program one version older reads the superset shape of an event, and does not append`()
    async throws
  {
    let place = try TemporaryStore()
    let newer = try EventStore(at: place.url, plan: Plan2.self)
    try await newer.append([.parkAdded(.init(city: "Bath", name: "Victoria", area: 23))], to: "parks")
    let older = try EventStore(at: place.url, plan: Plan1.self)
    guard case .parkAdded(let park) = try older.events()[0] else { return }
    #expect(park == .init(name: "Victoria", area: 23))
    let error = await #expect(throws: AnnalsError.self) {
      try await older.append([.parkAdded(park)], to: "parks")
    }
    #expect(error?.code == .newerSchema)
  }

  @Test func `a number that does not fit the older type is an error at its entry`() async throws {
    let place = try TemporaryStore()
    let newer = try EventStore(at: place.url, plan: Plan2.self)
    try await newer.append([.parkAdded(.init(city: nil, name: "Big", area: 1 << 40))], to: "parks")
    let older = try EventStore(at: place.url, plan: Plan1.self)
    let error = #expect(throws: AnnalsError.self) { try older.events() }
    #expect(error?.code == .malformed)
    #expect(error?.details.position == 1)
  }

  @Test func `a newer shape that cannot be read does not open, and nothing has changed`() async throws {
    let place = try TemporaryStore()
    let newer = try EventStore(at: place.url, plan: PlanNarrow.self)
    try await newer.append([.parkAdded(.init(area: 1))], to: "parks")
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: Plan1.self) }
    #expect(error?.code == .newerSchema)
    #expect(try place.files() == files)
  }
}

@Suite struct EditedVersionTests {
  @Schema(1, 0, 0) enum Shipped {
    @Record struct Made: Equatable { var count: Int32 }
  }
  @Schema(1, 0, 0) enum Edited {
    @Record struct Made: Equatable {
      var count: Int64
      var note: String?
    }
  }
  @Schema(1, 0, 0, .draft) enum Draft {
    @Record struct Made: Equatable { var count: Int32 }
  }
  @Schema(1, 0, 0, .draft) enum LaterDraft {
    @Record struct Made: Equatable {
      var count: Int64
      var note: String?
    }
  }
  enum Only<Schema: VersionedSchema>: SchemaMigrationPlan {
    static var stages: MigrationChain<Schema, Schema> {}
  }

  // Promise P12.
  @Test func `a store with an edited shipped version does not open, and not one byte has changed`()
    async throws
  {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: Only<Shipped>.self)
    try await store.append([.made(.init(count: 1))], to: "a")
    let files = try place.files()
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: Only<Edited>.self) }
    #expect(error?.code == .shapeChanged)
    let message = try #require(error?.message)
    for part in ["Made", "1.0.0", "(count: int32)", "(count: int64, note: text?)", "new version"] {
      #expect(message.contains(part), "\(message)")
    }
    #expect(try place.files() == files)
  }

  @Test func `a program that edited a shipped version does not append to a store that is open`() async throws
  {
    let place = try TemporaryStore()
    let edited = try EventStore(at: place.url, plan: Only<Edited>.self)
    let shipped = try EventStore(at: place.url, plan: Only<Shipped>.self)
    try await shipped.append([.made(.init(count: 1))], to: "a")
    let error = await #expect(throws: AnnalsError.self) {
      try await edited.append([.made(.init(count: 2, note: nil))], to: "a")
    }
    #expect(error?.code == .shapeChanged)
    #expect(try shipped.events().count == 1)
  }

  @Test
  func `a draft may change its shapes, and its stored events are read as by a lightweight stage`()
    async throws
  {
    let place = try TemporaryStore()
    let draft = try EventStore(at: place.url, plan: Only<Draft>.self)
    try await draft.append([.made(.init(count: 1))], to: "a")
    let later = try EventStore(at: place.url, plan: Only<LaterDraft>.self)
    try await later.append([.made(.init(count: 2, note: "n"))], to: "a")
    let counts = try later.events().map { if case .made(let made) = $0 { made.count } else { Int64(0) } }
    #expect(counts == [1, 2])
  }

  @Test func `once a version is released a draft of it does not change its shapes any more`() async throws {
    let place = try TemporaryStore()
    let draft = try EventStore(at: place.url, plan: Only<Draft>.self)
    try await draft.append([.made(.init(count: 1))], to: "a")
    let released = try EventStore(at: place.url, plan: Only<Edited>.self)
    try await released.append([.made(.init(count: 2, note: "n"))], to: "a")
    #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: Only<Shipped>.self) }
    #expect(try released.events().count == 2)
  }

  @Test func `a draft that is released with the shape it has is released, and an edit of it does not open`()
    async throws
  {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: Only<Draft>.self).append([.made(.init(count: 1))], to: "a")
    let shipped = try EventStore(at: place.url, plan: Only<Shipped>.self)
    try await shipped.append([.made(.init(count: 2))], to: "a")
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: Only<Edited>.self) }
    #expect(error?.code == .shapeChanged)
    #expect(try EventStore(at: place.url, plan: Only<Shipped>.self).events().count == 2)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Schema(1, 0, 0) enum TwoShipped {
    @Record struct Made: Equatable { var count: Int32 }
    @Record struct Sold: Equatable { var price: Int32 }
  }
  @Schema(1, 0, 0, .draft) enum TwoDraft {
    @Record struct Made: Equatable { var count: Int32 }
    @Record struct Sold: Equatable {
      var price: Int32
      var note: String?
    }
  }

  @Test func `a draft adds no shapes to a version that was released`() async throws {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: Only<TwoShipped>.self).append([.made(.init(count: 1))], to: "a")
    let draft = try EventStore(at: place.url, plan: Only<TwoDraft>.self)
    let error = await #expect(throws: AnnalsError.self) {
      try await draft.append([.sold(.init(price: 2, note: nil))], to: "a")
    }
    #expect(error?.code == .shapeChanged)
    let shipped = try EventStore(at: place.url, plan: Only<TwoShipped>.self)
    try await shipped.append([.sold(.init(price: 3))], to: "a")
    #expect(try shipped.events().count == 2)
  }

  #if DEBUG
    // Promise P15.
    @Test func `a store of drafts alone can be erased, counted, and no other`() async throws {
      let place = try TemporaryStore()
      do {
        let draft = try EventStore(at: place.url, plan: Only<Draft>.self)
        try await draft.append([.made(.init(count: 1)), .made(.init(count: 2))], to: "a")
      }
      #expect(try EventStore<Only<LaterDraft>>.eraseDrafts(at: place.url).map(\.count) == [2])
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path) == [])
      do {
        let shipped = try EventStore(at: place.url, plan: Only<Shipped>.self)
        try await shipped.append([.made(.init(count: 1))], to: "a")
      }
      let files = try place.files()
      let error = #expect(throws: AnnalsError.self) {
        try EventStore<Only<LaterDraft>>.eraseDrafts(at: place.url)
      }
      #expect(error?.code == .wrongUse)
      #expect(try place.files() == files)
    }
  #endif
}
