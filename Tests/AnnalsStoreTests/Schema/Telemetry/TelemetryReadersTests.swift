import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsSchema
@testable import AnnalsShapes
@testable import AnnalsStore

/// The same 43 versions over records with shapes: names and shapes never change, and what they hold does.
@Suite(.enabled(if: SharedData.isThere, "the material lies beside the package and is no part of it"))
struct TelemetryReadersTests {
  /// Appends an event for every name that was ever changed, as a program of the version `base` did.
  private func seed<Base: VersionedSchema>(
    _ base: Base.Type, _ fold: TelemetryFold, into log: EventLog
  ) async throws -> Int {
    var forms: [(form: StoredForm, origin: Origin)] = []
    let origin = Origin(
      position: 1, stream: "telemetry", revision: 0, timestamp: .now, id: nil, metadata: [:], log: log.id)
    func add(_ record: some Record) throws {
      forms.append((try StoredForm(record, in: TelemetryAt<Base>.self), origin))
    }
    for name in fold.changed(["all", "resources"]) {
      try add(TelemetryShapes.ResourceSeen(attributes: [name: name], at: 1.5))
    }
    for name in fold.changed(["all", "spans"]) {
      try add(TelemetryShapes.SpanEnded(attributes: [name: name], at: 1.5))
    }
    for name in fold.changed(["all"]) {
      try add(TelemetryShapes.LogWritten(attributes: [name: name], at: 1.5))
    }
    try await log.append(forms)
    return forms.count
  }

  /// What the programs of all versions read of a log: how many lines they were given, and how many of them
  /// were refused it.
  private func dumps(_ log: EventLog) throws -> [Int] {
    var (lines, refused) = (0, 0)
    for schema in TelemetryShapePlan.stages.outline.schemas.dropLast() {
      do throws(AnnalsError) {
        var dump = try EventLines(log, plan: TelemetryShapePlan.self, as: schema.version)
        while let page = try dump.nextPage() { lines += page.count(where: { $0 == UInt8(ascii: "\n") }) }
      } catch {
        guard error.code == .newerSchema else { throw error }
        refused += 1
      }
    }
    return [lines, refused]
  }

  @Test func `no program of an older version reads a name that a newer version gave`() async throws {
    let fold = try TelemetryFold(SharedData.folder.appending(path: TelemetryRenames.file))
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    var count = 0
    for base in try TelemetryShapePlan.bases() { count += try await seed(base, fold, into: log) }
    #expect(count > 6_000)
    // All but the last version meet events that later versions wrote.
    #expect(try dumps(log) == [0, 42])
    let store = try EventStore(at: place.url, plan: TelemetryShapePlan.self)
    #expect(try await store.migrate().report().isDone)
    #expect(try dumps(log) == [0, 42])
    let kinds = try log.read { (snapshot) throws(AnnalsError) in Array(snapshot.kinds.kinds.values) }
    #expect(kinds.count == 3)
    #expect(kinds.allSatisfy { $0.row.oldestReader == SchemaVersion(1, 44, 0) })
  }

  @Test func `records that no rule takes are read by the programs of all versions`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: TelemetryShapePlan.self)
    try await store.append([.heartbeat(.init(n: 1))], to: "telemetry")
    #expect(try dumps(store.log) == [42, 0])
  }
}

/// The records of all versions.
@Schema(0, 0, 1) enum TelemetryShapes {
  @Record struct ResourceSeen: Equatable {
    var attributes: [String: String]
    var at: Double
  }
  @Record struct SpanEnded: Equatable {
    var attributes: [String: String]
    var at: Double
  }
  @Record struct LogWritten: Equatable {
    var attributes: [String: String]
    var at: Double
  }
  @Record struct Heartbeat: Equatable { var n: Int }
}

/// The schema of the version that `Base` has.
enum TelemetryAt<Base: VersionedSchema>: VersionedSchema {
  static var version: SchemaVersion { Base.version }

  enum Event: SchemaEvent {
    case resourceSeen(TelemetryShapes.ResourceSeen)
    case spanEnded(TelemetryShapes.SpanEnded)
    case logWritten(TelemetryShapes.LogWritten)
    case heartbeat(TelemetryShapes.Heartbeat)

    struct Cases {
      var resourceSeen: RecordCase<Event, TelemetryShapes.ResourceSeen> {
        RecordCase(0, step: { $0.resourceSeen }, event: { .resourceSeen($0) })
      }
      var spanEnded: RecordCase<Event, TelemetryShapes.SpanEnded> {
        RecordCase(1, step: { $0.spanEnded }, event: { .spanEnded($0) })
      }
      var logWritten: RecordCase<Event, TelemetryShapes.LogWritten> {
        RecordCase(2, step: { $0.logWritten }, event: { .logWritten($0) })
      }
      var heartbeat: RecordCase<Event, TelemetryShapes.Heartbeat> {
        RecordCase(3, step: { $0.heartbeat }, event: { .heartbeat($0) })
      }
    }
    struct Steps {
      let resourceSeen: RecordStep<TelemetryShapes.ResourceSeen>
      let spanEnded: RecordStep<TelemetryShapes.SpanEnded>
      let logWritten: RecordStep<TelemetryShapes.LogWritten>
      let heartbeat: RecordStep<TelemetryShapes.Heartbeat>
    }

    static var cases: Cases { Cases() }
    static var records: [SchemaRecord] {
      [
        SchemaRecord("resourceSeen", TelemetryShapes.ResourceSeen.self),
        SchemaRecord("spanEnded", TelemetryShapes.SpanEnded.self),
        SchemaRecord("logWritten", TelemetryShapes.LogWritten.self),
        SchemaRecord("heartbeat", TelemetryShapes.Heartbeat.self),
      ]
    }
    static func steps(from source: inout some StepSource<Event>) throws(AnnalsError) -> Steps {
      Steps(
        resourceSeen: try source.step(for: cases.resourceSeen),
        spanEnded: try source.step(for: cases.spanEnded),
        logWritten: try source.step(for: cases.logWritten), heartbeat: try source.step(for: cases.heartbeat))
    }
    var caseIndex: Int {
      switch self {
      case .resourceSeen: 0
      case .spanEnded: 1
      case .logWritten: 2
      case .heartbeat: 3
      }
    }
    func encode(into payload: inout [UInt8]) throws(CodingFailure) {
      switch self {
      case .resourceSeen(let record): try record.encode(into: &payload)
      case .spanEnded(let record): try record.encode(into: &payload)
      case .logWritten(let record): try record.encode(into: &payload)
      case .heartbeat(let record): try record.encode(into: &payload)
      }
    }
    consuming func send(through steps: Steps, _ origin: Origin, into buffer: EventBuffer) throws(StepFailure)
    {
      switch consume self {
      case .resourceSeen(let record): try steps.resourceSeen.run(record, origin, buffer)
      case .spanEnded(let record): try steps.spanEnded.run(record, origin, buffer)
      case .logWritten(let record): try steps.logWritten.run(record, origin, buffer)
      case .heartbeat(let record): try steps.heartbeat.run(record, origin, buffer)
      }
    }
  }
}

/// The chain of ``TelemetryPlan`` over these records: a rule for all of them in every stage but for
/// heartbeats.
enum TelemetryShapePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TelemetryAt<Telemetry1_4_0>, TelemetryAt<Telemetry1_44_0>> {
    guard let chain else { preconditionFailure("the chain ends where the one that it follows does") }
    return chain
  }

  private static let chain: MigrationChain<TelemetryAt<Telemetry1_4_0>, TelemetryAt<Telemetry1_44_0>>? = {
    let bases = (try? Self.bases()) ?? []
    let first = MigrationChain<TelemetryAt<Telemetry1_4_0>, TelemetryAt<Telemetry1_4_0>>()
    return grow(first, bases.dropFirst())
      as? MigrationChain<TelemetryAt<Telemetry1_4_0>, TelemetryAt<Telemetry1_44_0>>
  }()

  /// The schemas whose versions the chain has, oldest first.
  static func bases() throws -> [any VersionedSchema.Type] {
    func current<Chain: PlanChain>(_ chain: Chain) -> any VersionedSchema.Type { Chain.Current.self }
    return try TelemetryPlan.chains().map { current($0) }
  }

  private static func grow<Base: VersionedSchema>(
    _ chain: MigrationChain<TelemetryAt<Telemetry1_4_0>, TelemetryAt<Base>>,
    _ rest: ArraySlice<any VersionedSchema.Type>
  ) -> any PlanChain {
    func step<Next: VersionedSchema>(_ next: Next.Type) -> any PlanChain {
      grow(chain.followed(by: stage(from: Base.self, to: next)), rest.dropFirst())
    }
    guard let next = rest.first else { return chain }
    return step(next)
  }

  private static func stage<Base: VersionedSchema, Next: VersionedSchema>(
    from base: Base.Type, to next: Next.Type
  ) -> MigrationStage<TelemetryAt<Base>, TelemetryAt<Next>> {
    MigrationStage.custom(fromVersion: TelemetryAt<Base>.self, toVersion: TelemetryAt<Next>.self) {
      Upcast(\.resourceSeen, to: \.resourceSeen) { old, _ in
        .init(attributes: renamed(old.attributes, in: Next.version, ["all", "resources"]), at: old.at)
      }
      Upcast(\.spanEnded, to: \.spanEnded) { old, _ in
        .init(attributes: renamed(old.attributes, in: Next.version, ["all", "spans"]), at: old.at)
      }
      Upcast(\.logWritten, to: \.logWritten) { old, _ in
        .init(attributes: renamed(old.attributes, in: Next.version, ["all"]), at: old.at)
      }
    }
  }

  private static func renamed(
    _ attributes: [String: String], in version: SchemaVersion, _ sections: [String]
  ) -> [String: String] {
    var attributes = attributes
    for renames in TelemetryRenames.of(version, in: sections) {
      attributes = Dictionary(
        attributes.map { (renames[ExactText($0.key)] ?? $0.key, $0.value) },
        uniquingKeysWith: { first, _ in first })
    }
    return attributes
  }
}
