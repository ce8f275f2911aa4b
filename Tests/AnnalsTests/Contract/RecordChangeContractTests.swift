import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// What becomes of whole records, both ways.
@Suite struct RecordChangeContractTests {
  // Promise P62.
  @Test func `an added record has no older events, and older programs do not open once one is stored`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.placed(.init(n: 1))], as: Shop.self)
    #expect(try place.read(ToWider.self) == [.placed(.init(n: 1))])
    let newer = try TemporaryStore()
    try await newer.write([.placed(.init(n: 1))], through: ToWider.self)
    #expect(try newer.read(OneSchema<Shop>.self) == [.placed(.init(n: 1))])
    try await newer.write([.shipped(.init(parcel: "p"))], through: ToWider.self)
    let error = try newer.refusal(of: OneSchema<Shop>.self)
    #expect(error?.code == .newerSchema)
    #expect(error?.details.kinds.map(\.type) == ["Shipped"])
  }

  // Promise P64.
  @Test func `a renamed record is found by its former name, and older programs do not open`() async throws {
    let place = try TemporaryStore()
    try await place.write([.placed(.init(n: 1))], as: Shop.self)
    #expect(try place.read(ToNamed.self) == [.ordered(.init(n: 1))])
    let newer = try TemporaryStore()
    try await newer.write([.ordered(.init(n: 1))], through: ToNamed.self)
    #expect(try newer.refusal(of: OneSchema<Shop>.self)?.code == .newerSchema)
  }

  @Test func `a removed record needs a word, whether a rule drops it or makes others of it`() async throws {
    let place = try TemporaryStore()
    try await place.write([.placed(.init(n: 1)), .shipped(.init(parcel: "p"))], as: Wider.self)
    #expect(try place.refusal(of: ToLessInSilence.self)?.code == .invalidPlan)
    #expect(try place.read(ToLess.self) == [.placed(.init(n: 1))])
  }

  // Promise P91.
  @Test func `a split that gives nothing drops its entry, and positions and revisions stay taken`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.placed(.init(n: 0)), .placed(.init(n: 2))], as: Shop.self)
    let store = try EventStore(at: place.url, plan: ToUnits.self)
    let places = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(in: "all")
      var places: [String] = []
      while let entry = try entries.next() {
        places.append("\(entry.position) \(entry.revision) \(entry.path)")
      }
      return places
    }
    #expect(places == ["2 1 [0]", "2 1 [1]"])
    #expect(try store.read { (snapshot) throws(AnnalsError) in try snapshot.revision(of: "all") } == 1)
    // Expectations refer to the stored entries, not to the number of parts that are read.
    let done = try await store.append([.unitSold(.init(number: 9))], to: "all", expecting: .revision(1))
    #expect(done.position == 3)
  }

  @Test func `an event that into does not name is an error at its entry, never passed on`() async throws {
    let place = try TemporaryStore()
    try await place.write([.placed(.init(n: 1))], as: Shop.self)
    let error = #expect(throws: AnnalsError.self) { try place.read(ToUnexpected.self) }
    #expect(error?.code == .ruleFailed)
    #expect(error?.details.position == 1)
  }

  @Test func `a record without fields is stored, read, and may get fields later`() async throws {
    let place = try TemporaryStore()
    try await place.write([.ticked(.init())], as: Empty.self)
    #expect(try place.read(OneSchema<Empty>.self) == [.ticked(.init())])
    #expect(try place.read(ToFilled.self) == [.ticked(.init(by: nil))])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `two fields whose names look alike are refused before anything is created`() throws {
    let place = try TemporaryStore()
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: OneSchema<Lookalikes>.self)
    }
    #expect(error?.code == .invalidPlan)
    #expect(error?.message.contains("Unicode normalisation") == true)
    #expect(!FileManager.default.fileExists(atPath: place.url.path))
  }
}

@Schema(1, 0, 0) private enum Shop {
  @Record fileprivate struct Placed: Equatable { var n: Int }
}
@Schema(2, 0, 0) private enum Wider {
  typealias Placed = Shop.Placed
  @Record fileprivate struct Shipped: Equatable { var parcel: String }
}
@Schema(2, 0, 0) private enum Named {
  @Record(formerly: ["Placed"]) fileprivate struct Ordered: Equatable { var n: Int }
}
@Schema(3, 0, 0) private enum Less {
  typealias Placed = Wider.Placed
}
@Schema(2, 0, 0) private enum Units {
  @Record fileprivate struct UnitSold: Equatable { var number: Int }
  @Record fileprivate struct Refunded: Equatable { var n: Int }
}
@Schema(1, 0, 0) private enum Empty {
  @Record fileprivate struct Ticked: Equatable {}
}
@Schema(2, 0, 0) private enum Filled {
  @Record fileprivate struct Ticked: Equatable { var by: String? }
}
@Schema(1, 0, 0) private enum Lookalikes {
  @Record fileprivate struct Named: Equatable {
    @Field("\u{e9}") var composed: Int
    @Field("e\u{301}") var decomposed: Int
  }
}
extension Shop.Event: Equatable {}
extension Wider.Event: Equatable {}
extension Named.Event: Equatable {}
extension Less.Event: Equatable {}
extension Empty.Event: Equatable {}
extension Filled.Event: Equatable {}

private enum ToWider: SchemaMigrationPlan {
  static var stages: MigrationChain<Shop, Wider> {
    MigrationStage.lightweight(fromVersion: Shop.self, toVersion: Wider.self)
  }
}
private enum ToNamed: SchemaMigrationPlan {
  static var stages: MigrationChain<Shop, Named> {
    MigrationStage.lightweight(fromVersion: Shop.self, toVersion: Named.self)
  }
}
private enum ToLess: SchemaMigrationPlan {
  static var stages: MigrationChain<Wider, Less> {
    MigrationStage.custom(fromVersion: Wider.self, toVersion: Less.self) {
      Drop(\.shipped, reason: "not ours")
    }
  }
}
private enum ToLessInSilence: SchemaMigrationPlan {
  static var stages: MigrationChain<Wider, Less> {
    MigrationStage.lightweight(fromVersion: Wider.self, toVersion: Less.self)
  }
}
private enum ToUnits: SchemaMigrationPlan {
  static var stages: MigrationChain<Shop, Units> {
    MigrationStage.custom(fromVersion: Shop.self, toVersion: Units.self) {
      Split(\.placed, into: [\.unitSold]) { old, _ in (0..<old.n).map { .unitSold(.init(number: $0)) } }
    }
  }
}
private enum ToUnexpected: SchemaMigrationPlan {
  static var stages: MigrationChain<Shop, Units> {
    MigrationStage.custom(fromVersion: Shop.self, toVersion: Units.self) {
      Split(\.placed, into: [\.unitSold]) { old, _ in [.refunded(.init(n: old.n))] }
    }
  }
}
private enum ToFilled: SchemaMigrationPlan {
  static var stages: MigrationChain<Empty, Filled> {
    MigrationStage.lightweight(fromVersion: Empty.self, toVersion: Filled.self)
  }
}
