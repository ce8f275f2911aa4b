import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

@Schema(1, 0, 0) enum LettersV1 {
  /// Stored by name, without a shape.
  struct Sent: Record, Codable, Equatable { var to: String }
  @Record struct Opened: Equatable { var by: String }
  @Record struct Torn: Equatable { var by: String }
}

@Schema(2, 0, 0) enum LettersV2 {
  typealias Sent = LettersV1.Sent
  @Record struct Opened: Equatable { var reader: String }
}

@Schema(3, 0, 0) enum LettersV3 {
  typealias Opened = LettersV2.Opened
  @Record struct Sent: Equatable { var to: String }
}

/// Records by name that are stored unchanged, rewritten, and dropped.
private enum CarryingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<LettersV1, LettersV2> {
    MigrationStage.custom(fromVersion: LettersV1.self, toVersion: LettersV2.self) {
      Upcast(\.opened, to: \.opened) { old, _ in .init(reader: old.by) }
      Drop(\.torn, reason: "nobody asks")
    }
  }
}

private enum DeclaringPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<LettersV1, LettersV3> {
    MigrationStage.custom(fromVersion: LettersV1.self, toVersion: LettersV2.self) {
      Upcast(\.opened, to: \.opened) { old, _ in .init(reader: old.by) }
      Drop(\.torn, reason: "nobody asks")
    }
    MigrationStage.custom(fromVersion: LettersV2.self, toVersion: LettersV3.self) {
      Upcast(\.sent, to: \.sent) { old, _ in .init(to: old.to) }
    }
  }
}

/// Says once that it is the first time.
private final class Once: Sendable {
  private let isDone = Mutex(false)

  func isFirst() -> Bool {
    isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
  }
}

/// Passes over events that were stored by name, with fields that the plan does not declare.
struct UndeclaredPassTests {
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private func append(_ type: String, _ value: CBOR) async throws {
    let log = try EventLog(at: place.url)
    try await log.append(
      [NewEntry(type: type, version: SchemaVersion(1, 0, 0), payload: try Payload(value))], to: "all")
  }

  /// The error of a pass.
  private func refusal<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ options: MigrationOptions = MigrationOptions()
  ) async throws -> AnnalsError? {
    let store = try EventStore(at: place.url, plan: plan)
    return await #expect(throws: AnnalsError.self) { try await store.migrate(options).report() }
  }

  @Test func `an unchanged record by name keeps every field, and a dropped one goes with all`()
    async throws
  {
    try await append("Sent", ["to": "Ann", "stamp": 1])
    try await append("Torn", ["by": "Bo", "why": "rain"])
    let store = try EventStore(at: place.url, plan: CarryingPlan.self)
    #expect(try await store.migrate().report().isDone)
    let content = try store.log.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      return try entries.next()?.content
    }
    #expect(content == .payload(try Payload(["to": "Ann", "stamp": 1])))
  }

  @Test func `a record by name that a rule takes loses no field unasked`() async throws {
    try await append("Sent", ["to": "Ann"])
    try await append("Sent", ["to": "Bo", "stamp": 1])
    try await append("Opened", ["by": "Bo", "at": ["hour": 1]])
    let error = try await refusal(DeclaringPlan.self)
    #expect(error?.code == .undeclaredFields)
    #expect(error?.details.fields.map(\.name) == ["Sent.stamp", "Opened.at"])
    #expect(error?.details.fields.map(\.firstPosition) == [2, 3])
    #expect(try EventLog.inspect(place.url).generation == 1)
    var options = MigrationOptions()
    options.dropFields = ["Sent.stamp"]
    #expect(try await refusal(DeclaringPlan.self, options)?.details.fields.map(\.name) == ["Opened.at"])
    var opening = StoreOptions()
    opening.dropFields = ["Opened.at"]
    let store = try EventStore(at: place.url, plan: DeclaringPlan.self, options: opening)
    let report = try await store.migrate(options).report()
    #expect(report.isDone && report.removedFields.map(\.name) == ["Sent.stamp", "Opened.at"])
    #expect(report.removedFields.map(\.count) == [1, 1])
  }

  @Test func `fields whose names look alike or are hidden are named by their characters`() async throws {
    let keys: CBOR = ["by": "Bo", "\u{e9}": 1, "e\u{301}": 2, "\u{feff}at": 3]
    try await append("Opened", keys)
    var options = MigrationOptions()
    options.dropFields = ["Opened.e\u{301}", #"Opened.\u{feff}at"#]
    let error = try await refusal(DeclaringPlan.self, options)
    #expect(error?.details.fields.map { Array($0.name.utf8) } == [Array("Opened.\u{e9}".utf8)])
    options.dropFields.insert(#"Opened.\u{e9}"#)
    let store = try EventStore(at: place.url, plan: DeclaringPlan.self)
    #expect(try await store.migrate(options).report().removedFields.count == 3)
  }

  @Test func `an open that migrates loses no field unasked, at once or alongside the store`() async throws {
    try await append("Opened", ["by": "Bo", "at": 1])
    var options = StoreOptions()
    options.migration = .beforeOpen()
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: CarryingPlan.self, options: options)
    }
    #expect(error?.code == .undeclaredFields)
    options.migration = .inBackground()
    do {
      let store = try EventStore(at: place.url, plan: CarryingPlan.self, options: options)
      let late = await #expect(throws: AnnalsError.self) { try await store.migration?.report() }
      #expect(late?.code == .undeclaredFields)
    }
    #expect(try EventLog.inspect(place.url).generation == 1)
    options.dropFields = ["Opened.at"]
    options.migration = .beforeOpen()
    _ = try EventStore(at: place.url, plan: CarryingPlan.self, options: options)
    #expect(try EventLog.inspect(place.url).generation == 2)
  }

  @Test func `a field that is appended while a pass runs ends it`() async throws {
    try await append("Opened", ["by": "Bo"])
    let log = try EventLog(at: place.url)
    let appended = Once()
    let late = try Payload(["by": "Cy", "at": 1])
    var options = MigrationOptions()
    options.atPoint = { point in
      guard point == .copied, appended.isFirst() else { return }
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        _ = try? await log.append(
          [NewEntry(type: "Opened", version: SchemaVersion(1, 0, 0), payload: late)], to: "all")
        done.signal()
      }
      done.wait()
    }
    let error = try await refusal(CarryingPlan.self, options)
    #expect(error?.code == .undeclaredFields && error?.details.position == 2)
    #expect(try EventLog.inspect(place.url).generation == 1)
    #expect(try log.info().entries == 2)
  }
}
