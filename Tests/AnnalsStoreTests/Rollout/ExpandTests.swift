import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore
@testable import AnnalsSubscriptions

@Suite struct ExpandTests {
  private let v1 = SchemaVersion(1, 0, 0)
  private let v2 = SchemaVersion(2, 0, 0)
  private let v3 = SchemaVersion(3, 0, 0)

  // Promise P111.
  @Test func `a bridge of supersets is written as it is, and programs of the version before read and append`()
    async throws
  {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: BridgeParksPlan1.self)
    let newer = try EventStore(at: place.url, plan: BridgeParksPlan2.self)
    try await newer.append([.parkAdded(.init(city: "Bath", name: "Victoria", area: 23))], to: "parks")
    try await older.append([.parkAdded(.init(name: "Hyde", area: 142))], to: "parks")
    let latecomer = try EventStore(at: place.url, plan: BridgeParksPlan1.self)
    try await latecomer.append([.counted(.init(n: 1))], to: "parks")
    #expect(try newer.log.phase(of: v2) == .expanding)
    #expect(try newer.log.storedKinds() == ["ParkAdded 2.0.0", "ParkAdded 1.0.0", "Counted 1.0.0"])
    let expected: [BridgeParks1.Event] = [
      .parkAdded(.init(name: "Victoria", area: 23)), .parkAdded(.init(name: "Hyde", area: 142)),
      .counted(.init(n: 1)),
    ]
    #expect(try older.events() == expected)
    #expect(try latecomer.events() == expected)
    #expect(
      try newer.events() == [
        .parkAdded(.init(city: "Bath", name: "Victoria", area: 23)),
        .parkAdded(.init(city: nil, name: "Hyde", area: 142)), .counted(.init(n: 1)),
      ])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a bridge that must be lowered is active at once where its program is alone`() async throws {
    let place = try TemporaryStore()
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self)
    try await newer.append([.weighed(.init(kilograms: 80))], to: "a")
    #expect(try newer.log.phase(of: v2) == .active)
    #expect(try newer.log.storedKinds() == ["Weighed 2.0.0"])
    let older = try EventLog(at: place.url)
    let error = await #expect(throws: AnnalsError.self) {
      try await older.append([NewEntry(type: "Weighed", version: v1, payload: Payload(.map([])))], to: "a")
    }
    #expect(error?.code == .superseded)
  }

  @Test func `alongside an older program records are stored as the older version, also after it has ended`()
    async throws
  {
    let place = try TemporaryStore()
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self)
    do {
      let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self)
      try await newer.append(
        [.weighed(.init(kilograms: 80)), .walked(.init(steps: 4000)), .titled(.init(name: "A"))], to: "a")
      #expect(
        try older.events() == [
          .weighed(.init(pounds: 160, note: "")), .walked(.init(steps: 4000)), .named(.init(name: "A")),
        ])
      try await older.append([.weighed(.init(pounds: 100, note: "n"))], to: "a")
    }
    try await newer.append([.titled(.init(name: "B"))], to: "a")
    #expect(try newer.log.phase(of: v2) == .expanding)
    #expect(
      try newer.log.storedKinds() == [
        "Weighed 1.0.0", "Walked 1.0.0", "Named 1.0.0", "Weighed 1.0.0", "Named 1.0.0",
      ])
    #expect(
      try newer.events() == [
        .weighed(.init(kilograms: 80)), .walked(.init(steps: 4000)), .titled(.init(name: "A")),
        .weighed(.init(kilograms: 50)), .titled(.init(name: "B")),
      ])
    let again = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self)
    #expect(try again.events().count == 5)
    #expect(try EventLog.verify(place.url).isClean)
  }

  private static func unsaid(_ number: Int) -> BridgeWeights2.Event {
    switch number {
    case 0: .weighed(.init(kilograms: 501))
    case 1: .weighed(.init(kilograms: -1))
    default: .walked(.init(steps: 1 << 40))
    }
  }

  // Promise P114.
  @Test(arguments: 0..<3)
  func `a record that the older version cannot express is refused, and nothing of the call is stored`(
    number: Int
  ) async throws {
    let event = Self.unsaid(number)
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self)
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self)
    let error = await #expect(throws: AnnalsError.self) {
      try await newer.append([.titled(.init(name: "A")), event], to: "a")
    }
    #expect(error?.code == .unrepresentable)
    #expect(error?.details.stream == "a")
    #expect(error?.details.version == v2)
    #expect(error?.details.type != nil)
    #expect(try older.events().isEmpty)
    #expect(try newer.log.phase(of: v2) == nil)
  }

  // Promise P115.
  @Test func `a new type waits for programs that would stop at it, and for no others`() async throws {
    let place = try TemporaryStore()
    let newer = try EventStore(at: place.url, plan: BridgeParksPlan2.self)
    let closed = BridgeParks2.Event.parkClosed(.init(name: "Victoria"))
    do {
      let older = try EventStore(at: place.url, plan: BridgeParksPlan1.self)
      let error = await #expect(throws: AnnalsError.self) { try await newer.append([closed], to: "parks") }
      #expect(error?.code == .unrepresentable)
      #expect(error?.details.type == "ParkClosed")
      try await newer.append([.counted(.init(n: 1))], to: "parks")
      #expect(try older.events() == [.counted(.init(n: 1))])
    }
    var options = StoreOptions()
    options.newerTypes = .skip
    let skipping = try EventStore(at: place.url, plan: BridgeParksPlan1.self, options: options)
    try await newer.append([closed], to: "parks")
    try await skipping.append([.counted(.init(n: 2))], to: "parks")
    #expect(try skipping.events() == [.counted(.init(n: 1)), .counted(.init(n: 2))])
    #expect(skipping.skipped == 1)
    // A subscription that names its events counts what it passes over, too.
    for try await step in skipping.subscribe(from: .beginning, to: [\.counted]).steps {
      if case .caughtUp = step { break }
    }
    #expect(skipping.skipped == 2)
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: BridgeParksPlan1.self)
    }
    #expect(error?.code == .newerSchema)
    #expect(try EventStore(at: place.url, plan: BridgeParksPlan1.self, options: options).events().count == 2)
  }

  @Test
  func `a version above a bridge waits for programs below the bridge, and makes it active without them`()
    async throws
  {
    let place = try TemporaryStore()
    let second = try EventStore(at: place.url, plan: BridgeParksPlan2.self)
    let third = try EventStore(at: place.url, plan: BridgeParksPlan3.self)
    do {
      let first = try EventStore(at: place.url, plan: BridgeParksPlan1.self)
      try await second.append([.counted(.init(n: 1))], to: "parks")
      let error = await #expect(throws: AnnalsError.self) {
        try await third.append([.counted(.init(n: 2))], to: "parks")
      }
      #expect(error?.code == .busy)
      #expect(error?.message.contains("2.0.0") == true)
      try await first.append([.counted(.init(n: 3))], to: "parks")
    }
    try await third.append([.counted(.init(n: 4))], to: "parks")
    #expect(try third.log.phase(of: v2) == .active)
    #expect(try third.log.phase(of: v3) == .present)
    #expect(try third.events().count == 3)
  }

  @Test func `a program whose plan does not use the version as a bridge does not append alongside one`()
    async throws
  {
    let place = try TemporaryStore()
    let bridge = try EventStore(at: place.url, plan: BridgeParksPlan2.self)
    try await bridge.append([.counted(.init(n: 1))], to: "a")
    enum Alone: SchemaMigrationPlan { static var stages: MigrationChain<BridgeParks2, BridgeParks2> {} }
    let alone = try EventStore(at: place.url, plan: Alone.self)
    let error = await #expect(throws: AnnalsError.self) {
      try await alone.append([.counted(.init(n: 2))], to: "a")
    }
    #expect(error?.code == .wrongUse)
  }
}
