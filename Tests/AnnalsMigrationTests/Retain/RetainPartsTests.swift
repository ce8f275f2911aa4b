import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Retained records in entries that have parts, in stages that know the whole log, and in stages that move
/// streams.
@Suite struct RetainPartsTests {
  @Schema(1, 0, 0) enum Trips1 {
    @Record struct Travelled: Equatable { var legs: [Int] }
    @Record struct Weighed: Equatable { var kilograms: Int }
  }
  @Schema(2, 0, 0) enum Trips2 {
    typealias Weighed = Trips1.Weighed
    @Record struct Walked: Equatable { var metres: Int }
    @Record struct Ridden: Equatable { var metres: Int }
  }
  @Schema(3, 0, 0) enum Trips3 {
    typealias Walked = Trips2.Walked
    @Record struct Weighed: Equatable { var share: Int }
  }
  enum First: SchemaMigrationPlan { static var stages: MigrationChain<Trips1, Trips1> {} }
  static var splitting: MigrationStage<Trips1, Trips2> {
    MigrationStage.custom(fromVersion: Trips1.self, toVersion: Trips2.self) {
      Split(\.travelled, into: [\.walked, \.ridden]) { old, _ in
        old.legs.map { $0 < 1000 ? .walked(.init(metres: $0)) : .ridden(.init(metres: $0)) }
      }
    }
  }
  static var retaining: MigrationStage<Trips2, Trips3> {
    MigrationStage.custom(fromVersion: Trips2.self, toVersion: Trips3.self) {
      Retain(\.ridden)
      Upcast(\.weighed, to: \.weighed) { old, _ in .init(share: old.kilograms) }
    }
  }
  enum Second: SchemaMigrationPlan {
    static var stages: MigrationChain<Trips1, Trips2> { RetainPartsTests.splitting }
  }
  /// The release that has let the first version go.
  enum Short: SchemaMigrationPlan {
    static var stages: MigrationChain<Trips2, Trips3> { RetainPartsTests.retaining }
  }
  enum Whole: SchemaMigrationPlan {
    static var stages: MigrationChain<Trips1, Trips3> {
      RetainPartsTests.splitting
      RetainPartsTests.retaining
    }
  }

  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  @Test func `a part that a pass has stored is retained by itself`() async throws {
    try await EventStore(at: place.url, plan: First.self).append(
      [.travelled(.init(legs: [100, 5000, 200])), .travelled(.init(legs: [7000]))], to: "trip")
    _ = try EventStore(at: place.url, plan: Second.self).migrate().join()
    let store = try EventStore(at: place.url, plan: Short.self)
    let wanted: [Trips3.Event] = [.walked(.init(metres: 100)), .walked(.init(metres: 200))]
    #expect(try store.events() == wanted)
    let report = try store.migrate().join()
    #expect(report.retained == [.init(type: "Ridden", version: SchemaVersion(2, 0, 0), count: 2)])
    #expect(report.dropped == [])
    #expect(try store.events() == wanted)
    #expect(try store.log.counts() == ["2.0.0 Ridden": 2, "3.0.0 Walked": 2])
    guard case .parts(let parts)? = try store.log.read({ try $0.entry(at: 1) })?.content else {
      Issue.record("no parts")
      return
    }
    #expect(parts.map(\.path) == [[0], [1], [2]])
    #expect(try parts[1].payload.value == ["metres": 5000])
    #expect(try !store.migrate().join().isDone)
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [])
  }

  @Test func `a plan that retains one part of a split and not the others is invalid`() throws {
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: Whole.self) }
    #expect(error?.code == .invalidPlan)
    #expect(
      error?.message.contains(
        "the stage from Trips1 (1.0.0) to Trips2 (2.0.0) makes 'Ridden' of 'Travelled', and the stage to Trips3 (3.0.0) retains that, but not all that comes of the entry"
      ) == true, "\(String(describing: error))")
  }

  // What the whole log is read for.
  enum Shared: SchemaMigrationPlan {
    struct Sum: StageContext { var sum: Int }
    static var stages: MigrationChain<Trips1, Shares3> {
      MigrationStage.custom(
        fromVersion: Trips1.self, toVersion: Shares2.self,
        prepare: { history in
          try history.reduce(into: Sum(sum: 0)) { sum, entry in
            if case .weighed(let weighed) = entry.event { sum.sum += weighed.kilograms }
          }
        }
      ) {
        Upcast(\.weighed, to: \.weighed) { (old, _, sum: Sum) in
          .init(share: sum.sum == 0 ? 0 : old.kilograms * 100 / sum.sum)
        }
      }
      MigrationStage.custom(fromVersion: Shares2.self, toVersion: Shares3.self) {
        Retain(\.weighed)
        Upcast(\.travelled, to: \.travelled) { old, _ in .init(count: old.legs.count) }
      }
    }
  }
  @Schema(2, 0, 0) enum Shares2 {
    typealias Travelled = Trips1.Travelled
    @Record struct Weighed: Equatable { var share: Int }
  }
  @Schema(3, 0, 0) enum Shares3 {
    @Record struct Travelled: Equatable { var count: Int }
  }

  /// What the first entry is at the second version.
  private func share(in log: EventLog) throws -> [CBOR] {
    try log.explain(1, plan: Shared.self).steps[0].events.map { try $0.data.value }
  }

  @Test func `the context for reading retained events outlives a contraction`() async throws {
    try await EventStore(at: place.url, plan: First.self).append(
      [.weighed(.init(kilograms: 30)), .weighed(.init(kilograms: 10)), .travelled(.init(legs: [1, 2]))],
      to: "trip")
    var options = StoreOptions()
    options.activating = true
    let store = try EventStore(at: place.url, plan: Shared.self, options: options)
    #expect(try share(in: store.log) == [["share": 75]])
    _ = try store.migrate().join()
    let report = try store.contract(.init(isRehearsal: true))
    #expect(report.contexts == [] && !report.hasLosses)
    #expect(report.retained.map(\.count) == [2])
    #expect(try store.contract().isContracted)
    let again = try EventStore(at: place.url, plan: Shared.self)
    #expect(try again.events() == [.travelled(.init(count: 2))])
    #expect(try share(in: again.log) == [["share": 75]])
    #expect(try Shared.check(store: place.url).opens)
  }

  // Streams that move before, with and after the stage that retains.
  @Schema(3, 0, 0) enum Moved3 {
    typealias Noted = OfficeV2.Noted
  }
  static func moved(_ stream: StreamName) -> StreamName { StreamName("new \(stream.text)") }
  /// The stage after the one that retains moves everything.
  enum MovedAfter: SchemaMigrationPlan {
    static var stages: MigrationChain<OfficeV1, Moved3> {
      MigrationStage.custom(fromVersion: OfficeV1.self, toVersion: OfficeV2.self) {
        Retain(\.faxed)
        Drop(\.pinged, reason: "noise")
      }
      MigrationStage.custom(fromVersion: OfficeV2.self, toVersion: Moved3.self) {
        Streams { _, origin in .moves(to: RetainPartsTests.moved(origin.stream)) }
      }
    }
  }
  /// One stage does both.
  enum MovedWith: SchemaMigrationPlan {
    static var stages: MigrationChain<OfficeV1, OfficeV2> {
      MigrationStage.custom(fromVersion: OfficeV1.self, toVersion: OfficeV2.self) {
        Retain(\.faxed)
        Drop(\.pinged, reason: "noise")
        Streams { _, origin in .moves(to: RetainPartsTests.moved(origin.stream)) }
      }
    }
  }
  /// Entries have moved when they are retained.
  enum MovedBefore: SchemaMigrationPlan {
    static var stages: MigrationChain<OfficeV1, PostV3> {
      MigrationStage.custom(fromVersion: OfficeV1.self, toVersion: PostV2.self) {
        Upcast(\.faxed, to: \.received) { old, _ in .init(sheets: old.pages) }
        Drop(\.pinged, reason: "noise")
        Streams { _, origin in .moves(to: RetainPartsTests.moved(origin.stream)) }
      }
      MigrationStage.custom(fromVersion: PostV2.self, toVersion: PostV3.self) {
        Retain(\.received)
        Drop(\.sealed, reason: "no seals")
      }
    }
  }

  private func move<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ kind: String, raw: String
  ) async throws {
    try await EventStore(at: place.url, plan: FirstOffice.self).append(
      [.faxed(.init(pages: 2, sender: nil)), .noted(.init(text: "a")), .faxed(.init(pages: 5, sender: nil))],
      to: "desk")
    let unmoved = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: plan) }
    #expect(unmoved?.code == .requiresPass)
    #expect(try plan.check(store: place.url).needsPass)
    do {
      let store = try EventStore(at: place.url, plan: plan, options: .passing())
      #expect(try store.events().count == 1)
    }
    let generation = try EventLog(at: place.url).info().generation
    // Nothing is due any more, and everything has moved.
    let store = try EventStore(at: place.url, plan: plan, options: .passing())
    #expect(try store.log.info().generation == generation)
    #expect(try !store.migrate().join().isDone)
    #expect(try plan.check(store: place.url).opens)
    let entries = try store.log.read { (snapshot) throws(AnnalsError) in
      try (1...3).map { (number) throws(AnnalsError) in try snapshot.entry(at: Position(UInt64(number))) }
    }
    #expect(entries.map { $0?.stream } == ["new desk", "new desk", "new desk"])
    #expect(entries.map { $0?.revision } == [0, 1, 2])
    #expect(try store.log.counts()[kind] == 2)
    guard case .payload(let payload)? = entries[2]?.content else {
      Issue.record("no payload")
      return
    }
    #expect(try payload.json() == raw)
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [])
    var appended = StoreOptions()
    appended.migration = .refuse
    _ = try EventStore(at: place.url, plan: plan, options: appended)
  }

  @Test func `retained entries move with a later stage`() async throws {
    try await move(MovedAfter.self, "1.0.0 Faxed", raw: #"{"pages":5}"#)
    let store = try EventStore(at: place.url, plan: MovedAfter.self)
    try await store.append([.noted(.init(text: "b", by: nil))], to: "new desk", expecting: .revision(2))
  }

  @Test func `retained entries move with their own stage`() async throws {
    try await move(MovedWith.self, "1.0.0 Faxed", raw: #"{"pages":5}"#)
    let store = try EventStore(at: place.url, plan: MovedWith.self)
    try await store.append([.noted(.init(text: "b", by: nil))], to: "new desk", expecting: .revision(2))
  }

  @Test func `entries that have moved are retained in the version after the move`() async throws {
    try await move(MovedBefore.self, "2.0.0 Received", raw: #"{"sheets":5}"#)
  }
}

extension RetainPartsTests.Trips3.Event: Equatable {}
extension RetainPartsTests.Shares3.Event: Equatable {}
