import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

@Suite struct ActivateTests {
  private let v2 = SchemaVersion(2, 0, 0)

  // Promise P116.
  @Test func `an activation waits for older programs, and names them`() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self)
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self)
    try await newer.append([.titled(.init(name: "A"))], to: "a")
    let files = try place.files()
    let rehearsal = try newer.activate(isRehearsal: true)
    #expect(rehearsal.phase == .expanding)
    #expect(rehearsal.olderPrograms.map(\.version) == [SchemaVersion(1, 0, 0)])
    #expect(rehearsal.olderEvents == 1)
    #expect(!rehearsal.isActivated)
    let error = #expect(throws: AnnalsError.self) { try newer.activate() }
    #expect(error?.code == .busy)
    #expect(error?.message.contains("reads up to 1.0.0") == true)
    #expect(try place.files() == files)
    try await older.append([.named(.init(name: "B"))], to: "a")
  }

  // Promise P117.
  @Test func `after an activation records are stored in their own form, and older programs append no more`()
    async throws
  {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self)
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self)
    try await newer.append([.walked(.init(steps: 1))], to: "a")
    #expect(try newer.activate(superseding: true).isActivated)
    try await newer.append([.walked(.init(steps: 1 << 40))], to: "a")
    #expect(try newer.log.storedKinds() == ["Walked 1.0.0", "Walked 2.0.0"])
    let error = await #expect(throws: AnnalsError.self) {
      try await older.append([.walked(.init(steps: 2))], to: "a")
    }
    #expect(error?.code == .superseded)
    #expect(try newer.events() == [.walked(.init(steps: 1)), .walked(.init(steps: 1 << 40))])
    let again = try newer.activate()
    #expect(again.phase == .active)
    #expect(!again.isActivated)
  }

  @Test func `a call that was encoded before the activation is encoded again`() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self)
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self)
    try await newer.append([.walked(.init(steps: 1))], to: "a")
    let stale = RolloutDecision(newer.reach.rollout, newer.log.core.generation.kinds).likelyForm
    #expect(stale == .shared)
    var call = AppendCall<NewEvent<BridgeWeights2.Event>>(
      time: .now, maximumPayload: 1 << 20, keepsEvents: true
    ) { (event, stream) throws(AnnalsError) in try newer.encode(event, for: stream, stale) }
    call.append([NewEvent(.titled(.init(name: "A")))], to: "a")
    let events = call.events
    let request = try call.finish().request
    _ = try newer.activate(superseding: true)
    _ = try await newer.append(EncodedCall(request: request, form: stale, events: events))
    #expect(try newer.log.storedKinds() == ["Walked 1.0.0", "Titled 2.0.0"])
    withExtendedLifetime(older) {}
  }

  @Test func `of two stores that activate at once one does it and the other finds it done`() async throws {
    let place = try TemporaryStore()
    let stores = try (0..<2).map { _ in try EventStore(at: place.url, plan: BridgeWeightsPlan2.self) }
    let done = try await withThrowingTaskGroup(of: Bool.self) { group in
      for store in stores { group.addTask { try store.activate().isActivated } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(done.filter { $0 }.count == 1)
    #expect(try stores[0].log.phase(of: v2) == .active)
  }

  @Test func `an open that activates does so where it is alone, and leaves a bridge that is needed`()
    async throws
  {
    let place = try TemporaryStore()
    var options = StoreOptions()
    options.activating = true
    do {
      let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self)
      let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self, options: options)
      #expect(try newer.log.phase(of: v2) == nil)
      try await newer.append([.walked(.init(steps: 1))], to: "a")
      withExtendedLifetime(older) {}
    }
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self, options: options)
    #expect(try newer.log.phase(of: v2) == .active)
  }

  @Test func `a pass stores a bridge in its own form, so that it waits for programs that need another`()
    async throws
  {
    let place = try TemporaryStore()
    do {
      let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self)
      let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self)
      try await newer.append([.walked(.init(steps: 1))], to: "a")
      let error = #expect(throws: AnnalsError.self) { try newer.migrate().join() }
      #expect(error?.code == .busy)
      withExtendedLifetime(older) {}
    }
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self)
    _ = try newer.migrate().join()
    #expect(try newer.log.phase(of: v2) == .active)
    #expect(try newer.log.storedKinds() == ["Walked 2.0.0"])
  }

  @Test func `a pass whose rules may give events of a new type waits for programs that have none`()
    async throws
  {
    let place = try TemporaryStore()
    do {
      let older = try EventStore(at: place.url, plan: BridgeParksPlan1.self)
      try await older.append([.parkAdded(.init(name: "A", area: 1))], to: "a")
      let newer = try EventStore(at: place.url, plan: ClosingPlan.self)
      let error = #expect(throws: AnnalsError.self) { try newer.migrate().join() }
      #expect(error?.code == .busy)
      #expect(try older.log.storedKinds() == ["ParkAdded 1.0.0"])
      #expect(try newer.log.phase(of: v2) == nil)
      withExtendedLifetime(older) {}
    }
    let newer = try EventStore(at: place.url, plan: ClosingPlan.self)
    _ = try newer.migrate().join()
    #expect(try newer.log.phase(of: v2) == .active)
    #expect(
      try newer.events() == [
        .parkAdded(.init(city: nil, name: "A", area: 1)), .parkClosed(.init(name: "A")),
      ])
  }

  @Test func `a pass that does not begin activates nothing`() async throws {
    let place = try TemporaryStore()
    do {
      let older = try EventStore(at: place.url, plan: BridgeWeightsPlan1.self)
      let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self)
      try await newer.append([.walked(.init(steps: 1))], to: "a")
      withExtendedLifetime(older) {}
    }
    let newer = try EventStore(at: place.url, plan: BridgeWeightsPlan2.self)
    let hold = try FileLock("pass.lock", in: newer.log.core.generation.directory).lock(.exclusive)
    let error = #expect(throws: AnnalsError.self) { try newer.migrate().join() }
    #expect(error?.code == .busy)
    #expect(try newer.log.phase(of: v2) == .expanding)
    _ = consume hold
    _ = try newer.migrate().join()
    #expect(try newer.log.phase(of: v2) == .active)
  }

  @Test func `a store that is open for reading activates nothing`() async throws {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: BridgeWeightsPlan1.self).append(
      [.walked(.init(steps: 1))], to: "a")
    let reader = try EventStore(
      at: place.url, plan: BridgeWeightsPlan2.self, options: StoreOptions(access: .readOnly))
    #expect(throws: AnnalsError.self) { try reader.activate() }
    #expect(try reader.activate(isRehearsal: true).olderEvents == 1)
    #expect(throws: AnnalsError.self) { try reader.contract() }
  }
}

/// A rule that may give anything, also events of the type that the version before does not have.
private enum ClosingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<BridgeParks1, BridgeParks2> {
    MigrationStage.custom(fromVersion: BridgeParks1.self, toVersion: BridgeParks2.self) {
      Split(\.parkAdded) { old, _ in
        [
          .parkAdded(.init(city: nil, name: old.name, area: old.area)), .parkClosed(.init(name: old.name)),
        ]
      }
    }
  }
}
