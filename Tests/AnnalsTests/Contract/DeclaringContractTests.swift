import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// Declarations of a program: schemas, records and their names. `CompileFailTests` tests mistakes.
@Suite struct DeclaringContractTests {
  // Promise P1.
  @Test func `a plan may have one schema and no stage`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: OnePlan.self)
    try await store.append([.placed(.init(total: 7))], to: "order-1")
    #expect(try store.delivered().count == 1)
  }

  // Promise P2.
  @Test func `versions that do not rise are refused, and nothing is created`() throws {
    let place = try TemporaryStore()
    for open in [
      { _ = try EventStore(at: place.url, plan: SameVersionPlan.self) },
      { _ = try EventStore(at: place.url, plan: CyclePlan.self) },
    ] {
      let error = #expect(throws: AnnalsError.self) { try open() }
      #expect(error?.code == .invalidPlan)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path) == [])
  }

  // Promise P7.
  @Test func `a record's name on disk has neither module nor schema in it`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: OnePlan.self)
    try await store.append([.placed(.init(total: 7)), .noted(.init(text: ""))], to: "order-1")
    #expect(
      try store.log.read { (log) throws(AnnalsError) in try log.all().map(\.type) } == ["Placed", "note"])
  }

  @Test func `types renamed in Swift alone find their events again`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: OnePlan.self)
    try await store.append([.placed(.init(total: 7)), .noted(.init(text: "late"))], to: "order-1")
    let renamed = try EventStore(at: place.url, plan: RenamedPlan.self)
    let events = try renamed.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      return [try entries.next()?.event, try entries.next()?.event]
    }
    #expect(events == [.orderPlaced(.init(total: 7)), .remarked(.init(text: "late"))])
  }

  @Test func `a type renamed without its name on disk is refused, not forgotten`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: OnePlan.self)
    try await store.append([.placed(.init(total: 7))], to: "order-1")
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: CarelessPlan.self) }
    #expect(error?.code == .noPath)
    #expect(error?.details.kinds.map(\.type) == ["Placed"])
    #expect(error?.message.contains("return the name from its recordName") == true)
  }

  // Promise P6.
  @Test func `a record reused by a typealias reads from every version that wrote it`() async throws {
    let place = try TemporaryStore()
    let shipped = MarketV3.Shipped(parcel: "p-1")
    try await EventStore(at: place.url, plan: FirstMarketPlan.self).append([.shipped(shipped)], to: "stall-1")
    try await EventStore(at: place.url, plan: SecondMarketPlan.self).append(
      [.shipped(shipped)], to: "stall-1")
    let store = try EventStore(at: place.url, plan: MarketPlan.self)
    try await store.append([.shipped(shipped)], to: "stall-1")
    let events = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      return [try entries.next()?.event, try entries.next()?.event, try entries.next()?.event]
    }
    #expect(events == [.shipped(shipped), .shipped(shipped), .shipped(shipped)])
    #expect(try store.log.info().schemas.map(\.version?.major) == [1, 2, 3])
  }

  // Promise P5.
  @Test func `the schemas of a plan are those of its chain, oldest first`() throws {
    let versions = try CompiledPlan(OrderPlan.self).schemas.map(\.version)
    #expect(versions == [SchemaVersion(1, 0, 0), SchemaVersion(2, 0, 0), SchemaVersion(3, 0, 0)])
    #expect(OrderPlan.Oldest.self == OrdersV1.self)
    #expect(OrderPlan.Current.self == OrdersV3.self)
  }

  // Promise P20.
  @Test func `a stage needs no rules`() async throws {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: OnePlan.self).append([.placed(.init(total: 7))], to: "order-1")
    let store = try EventStore(at: place.url, plan: GrownPlan.self)
    let event = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      return try entries.next()?.event
    }
    guard case .placed(let placed) = event else {
      Issue.record("\(String(describing: event))")
      return
    }
    #expect(placed.total == 7)
  }
}

@Schema(1, 0, 0) private enum One {
  fileprivate struct Placed: Record, Codable, Equatable { var total: Int }
  fileprivate struct Noted: Record, Codable, Equatable {
    static var recordName: String { "note" }
    var text: String
  }
}
private enum OnePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<One, One> {}
}

/// The same version of the same schema, after its types were renamed in Swift.
@Schema(1, 0, 0) private enum Renamed {
  fileprivate struct OrderPlaced: Record, Codable, Equatable {
    static var recordName: String { "Placed" }
    var total: Int
  }
  fileprivate struct Remarked: Record, Codable, Equatable {
    static var recordName: String { "note" }
    var text: String
  }
}
extension Renamed.Event: Equatable {}
private enum RenamedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Renamed, Renamed> {}
}

@Schema(1, 0, 0) private enum Careless {
  fileprivate struct OrderPlaced: Record, Codable { var total: Int }
}
private enum CarelessPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Careless, Careless> {}
}

@Schema(1, 0, 0) private enum SameVersion {
  typealias Placed = One.Placed
  typealias Noted = One.Noted
}
private enum SameVersionPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<One, SameVersion> {
    MigrationStage.custom(fromVersion: One.self, toVersion: SameVersion.self)
  }
}

@Schema(2, 0, 0) private enum Grown {
  typealias Placed = One.Placed
  typealias Noted = One.Noted
  fileprivate struct Shipped: Record, Codable { var parcel: String }
}
private enum GrownPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<One, Grown> {
    MigrationStage.custom(fromVersion: One.self, toVersion: Grown.self)
  }
}

/// It leads back to where it began, which compiles.
private enum CyclePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<One, One> {
    MigrationStage.custom(fromVersion: One.self, toVersion: Grown.self)
    MigrationStage.custom(fromVersion: Grown.self, toVersion: One.self) {
      Drop(\.shipped, reason: "One has none")
    }
  }
}
