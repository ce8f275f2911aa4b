import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

@Suite struct ContractTests {
  private let v2 = SchemaVersion(2, 0, 0)

  @Schema(1, 0, 0) enum Made1 {
    @Record struct Made: Equatable {
      var count: Int
      var note: String?
    }
    @Record struct Noise: Equatable { var n: Int }
  }
  @Schema(2, 0, 0) enum Made2 {
    @Record struct Made: Equatable { var count: Int }
  }
  enum Plan1: SchemaMigrationPlan { static var stages: MigrationChain<Made1, Made1> {} }
  enum Plan2: SchemaMigrationPlan {
    struct Odd: Error {}
    static var stages: MigrationChain<Made1, Made2> {
      MigrationStage.custom(fromVersion: Made1.self, toVersion: Made2.self) {
        Upcast(\.made, to: \.made) { old, _ in
          guard old.count >= 0 else { throw Odd() }
          return .init(count: old.count)
        }
        Drop(\.noise, reason: "noise")
      }
    }
  }
  enum Summed: SchemaMigrationPlan {
    struct Sum: StageContext { var sum: Int }
    static var stages: MigrationChain<Made1, Made2> {
      MigrationStage.custom(
        fromVersion: Made1.self, toVersion: Made2.self,
        prepare: { history in
          try history.reduce(into: Sum(sum: 0)) { sum, entry in
            if case .made(let made) = entry.event { sum.sum += made.count }
          }
        }
      ) {
        Upcast(\.made, to: \.made) { (old, _, sum: Sum) in .init(count: old.count + sum.sum) }
        Drop(\.noise, reason: "noise")
      }
    }
  }

  private func seeded(_ events: [Made1.Event]) async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await EventStore(at: place.url, plan: Plan1.self).append(events, to: "a")
    return place
  }

  // Promise P119.
  @Test func `events of older versions are counted, and nothing is changed`() async throws {
    let place = try await seeded([.made(.init(count: 1)), .made(.init(count: 2)), .noise(.init(n: 1))])
    let store = try EventStore(at: place.url, plan: Plan2.self)
    let files = try place.files()
    let report = try store.contract(.init(isRehearsal: true))
    #expect(report.older.map(\.count) == [2, 1])
    #expect(report.phase == .absent)
    let error = #expect(throws: AnnalsError.self) { try store.contract(.init(confirming: 0)) }
    #expect(error?.code == .requiresPass)
    #expect(error?.details.kinds.map(\.count) == [2, 1])
    #expect(try place.files() == files)
  }

  // Promise P120.
  @Test func `losses are listed and confirmed by the number of dropped entries`() async throws {
    let place = try await seeded([.made(.init(count: 1)), .noise(.init(n: 1)), .noise(.init(n: 2))])
    let store = try EventStore(at: place.url, plan: Plan2.self)
    _ = try store.migrate().join()
    let report = try store.contract(.init(isRehearsal: true))
    #expect(report.older.isEmpty)
    #expect(
      report.dropped == [.init(type: "Noise", version: SchemaVersion(1, 0, 0), count: 2)])
    // A rule read the field, so that nobody but the rule says what became of it.
    #expect(report.removedFields.isEmpty)
    #expect(
      report.convertedFields == [.init(version: SchemaVersion(1, 0, 0), type: "Made", field: "note")])
    let files = try place.files()
    for number in [nil, 1, 3] as [UInt64?] {
      let error = #expect(throws: AnnalsError.self) { try store.contract(.init(confirming: number)) }
      #expect(error?.code == .wrongUse)
      #expect(error?.message.contains("2 dropped 'Noise'") == true)
    }
    #expect(try place.files() == files)
    #expect(try store.contract(.init(confirming: 2)).isContracted)
    #expect(try store.log.phase(of: v2) == .contracted)
    #expect(try store.events() == [.made(.init(count: 1))])
    try await store.append([.made(.init(count: 3))], to: "a")
    #expect(try store.contract().isContracted)
    #expect(try EventStore(at: place.url, plan: Plan2.self).events().count == 2)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Schema(2, 0, 0) enum Slim2 {
    @Record struct Made: Equatable { var count: Int }
    typealias Noise = Made1.Noise
  }
  enum Slim: SchemaMigrationPlan {
    static var stages: MigrationChain<Made1, Slim2> {
      MigrationStage.lightweight(fromVersion: Made1.self, toVersion: Slim2.self)
    }
  }

  @Test
  func `a field that a stage leaves out is a loss, and one that a rule has read is none`()
    async throws
  {
    let place = try await seeded([.made(.init(count: 1, note: "a"))])
    let slim = try EventStore(at: place.url, plan: Slim.self)
    _ = try slim.migrate().join()
    let report = try slim.contract(.init(isRehearsal: true))
    #expect(report.removedFields.map(\.field) == ["note"] && report.convertedFields.isEmpty)
    #expect(report.hasLosses && report.droppedEntries == 0)
    let other = try await seeded([.made(.init(count: 1, note: "a"))])
    let store = try EventStore(at: other.url, plan: Plan2.self)
    _ = try store.migrate().join()
    #expect(try !store.contract(.init(isRehearsal: true)).hasLosses)
    #expect(try store.contract().isContracted)
  }

  // Promise P121.
  @Test func `an older program neither opens, nor reads, nor appends any more`() async throws {
    let place = try await seeded([.made(.init(count: 1))])
    let store = try EventStore(at: place.url, plan: Plan2.self)
    _ = try store.migrate().join()
    let reader = try EventLog(at: place.url)
    let older = PlanResolver(try CompiledPlan(Plan1.self))
    _ = try store.contract(.init(confirming: 0))
    let opened = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: Plan1.self) }
    #expect(opened?.code == .superseded)
    let read = #expect(throws: AnnalsError.self) {
      try StoreSnapshot<Made1.Event>(reader.core, older).head()
    }
    #expect(read?.code == .superseded)
  }

  // Promise P118.
  @Test func `a program of an older version is waited for, and a killed one is not`() async throws {
    let place = try await seeded([.made(.init(count: 1))])
    let store = try EventStore(at: place.url, plan: Plan2.self)
    _ = try store.migrate().join()
    let directory = store.log.core.generation.directory
    do {
      let lease = try ProgramLease.take(SchemaVersion(1, 0, 0), StoreOptions(), in: directory)
      let error = #expect(throws: AnnalsError.self) { try store.contract(.init(confirming: 0)) }
      #expect(error?.code == .busy)
      withExtendedLifetime(lease) {}
    }
    let dead = place.url.appendingPathComponent(ProgramLeaseFile.name(UUID().uuidString))
    try Data("1234      \n".utf8).write(to: dead)
    #expect(try store.contract(.init(confirming: 0)).isContracted)
    #expect(!FileManager.default.fileExists(atPath: dead.path))
  }

  @Test func `quarantined entries are discarded by their number, and keep their place`() async throws {
    let place = try await seeded([
      .made(.init(count: 1)), .made(.init(count: -1)), .made(.init(count: 2)), .made(.init(count: -2)),
    ])
    var reading = StoreOptions()
    reading.unreadable = .quarantine { _ in }
    let store = try EventStore(at: place.url, plan: Plan2.self, options: reading)
    var options = MigrationOptions()
    options.unreadable = .quarantine
    _ = try store.migrate(options).join()
    #expect(try store.contract(.init(isRehearsal: true)).quarantined == 2)
    let files = try place.files()
    for number in [nil, 1, 3] as [UInt64?] {
      let error = #expect(throws: AnnalsError.self) {
        try store.contract(.init(givingUpQuarantined: number, confirming: 0))
      }
      #expect(error?.code == .requiresPass)
    }
    #expect(try place.files() == files)
    #expect(try store.contract(.init(givingUpQuarantined: 2, confirming: 0)).isContracted)
    #expect(try store.events() == [.made(.init(count: 1)), .made(.init(count: 2))])
    let census = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.census() }
    #expect(census.map(\.quarantined).sum() == 0)
    #expect(census.map(\.stubs).sum() == 2)
    #expect(try EventLog.verify(place.url).isClean)
    try await store.append([.made(.init(count: 3))], to: "a")
    #expect(try store.events().count == 3)
  }

  @Test func `an error after a partial discard of quarantined entries gives their number`() async throws {
    let count = UInt64(QuarantineDiscard.batch + 2)
    let place = try await seeded((1...count).map { _ in .made(.init(count: -1)) })
    let store = try EventStore(at: place.url, plan: Plan2.self)
    var options = MigrationOptions()
    options.unreadable = .quarantine
    _ = try store.migrate(options).join()
    // The second transaction's entries cannot be looked for.
    let generation = store.log.core.generation
    try generation.environment.write { (transaction) throws(EnvironmentError) in
      let bytes: [UInt8] = [1, 2, 3]
      try transaction.put(bytes.span, forKey: count, in: generation.tables.entries)
    }
    let error = #expect(throws: AnnalsError.self) {
      try store.contract(.init(givingUpQuarantined: count, confirming: 0))
    }
    #expect(error?.code == .damaged)
    #expect(
      error?.message.contains("; \(QuarantineDiscard.batch) events that were set aside have been given up")
        == true)
    #expect(try store.contract(.init(isRehearsal: true)).quarantined == 2)
  }

  @Test func `a contraction that is done does not fail for contexts that are no longer needed`() async throws
  {
    let place = try await seeded([.made(.init(count: 1))])
    var options = StoreOptions()
    options.activating = true
    let store = try EventStore(at: place.url, plan: Summed.self, options: options)
    _ = try store.migrate().join()
    // A chunk that would be removed, but for a table that cannot be read.
    _ = try ActivationWrite(store.log).run(risesEpoch: false) {
      (transaction, tables, _) throws(AnnalsError) in
      try transaction.put([1], ContextTableRow.chunkPrefix + "1", in: tables.meta)
      try transaction.put([1], ContextTableRow.name(.groups, of: SchemaVersion(9, 0, 0)), in: tables.meta)
      return true
    }
    #expect(throws: AnnalsError.self) { try ContextWriting(store.log).removeUnused() }
    #expect(try store.contract(.init(confirming: 0)).isContracted)
    #expect(try store.log.phase(of: v2) == .contracted)
  }

  // Promise P104.
  @Test func `the contexts of stages are removed, and the plan may keep them`() async throws {
    let place = try await seeded([.made(.init(count: 1))])
    var options = StoreOptions()
    options.activating = true
    let store = try EventStore(at: place.url, plan: Summed.self, options: options)
    _ = try store.migrate().join()
    #expect(try store.contract(.init(isRehearsal: true)).contexts == [v2])
    #expect(try store.contract(.init(confirming: 0)).isContracted)
    let facts = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.frozenFacts() }
    #expect(!facts.contains { $0.name.hasPrefix("context") })
    let again = try EventStore(at: place.url, plan: Summed.self)
    #expect(try again.events() == [.made(.init(count: 2))])
    #expect(try EventStore(at: place.url, plan: Summed.self, options: options).events().count == 1)
  }
}

extension ContractTests.Made2.Event: Equatable {}
