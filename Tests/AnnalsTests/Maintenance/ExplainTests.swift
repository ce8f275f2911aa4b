import Foundation
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore
@testable import LMDB

/// Explanations of entries: the stored event, the result of each stage, and the remainder of removed events.
@Suite struct ExplainTests {
  /// A store with an event of each record of the first version, the third of which a test may replace.
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.seedWorkouts()
    return place
  }

  /// Writes another entry in the place of the one at `position`, with `body`.
  private func replace(_ position: Position, of log: EventLog, with body: EntryBody, kind: UInt32 = 0) throws
  {
    let old = try log.read { (snapshot) throws(AnnalsError) in
      let bytes = try snapshot.reader.bytes(at: position)
      return try snapshot.reader.header(bytes, at: position)
    }
    let (nothing, content): ([UInt8], [UInt8]) = ([], body.encoded())
    var draft = EntryDraft(
      kind: kind == 0 ? old.kind : kind, time: old.time, name: nothing.span, metadata: nothing.span,
      rows: nothing.span, body: content.span, form: body.form)
    draft.stream = old.stream.rawValue
    draft.revision = old.revision
    draft.links = [1]
    let bytes = draft.encoded(at: position)
    try log.core.generation.environment.write { (transaction) throws(EnvironmentError) in
      try transaction.put(bytes.span, forKey: position.rawValue, in: log.core.generation.tables.entries)
    }
  }

  private func text(_ event: EntryExplanation.Event) throws -> String {
    "\(event.path) \(event.type) \(try event.data.json())"
  }

  @Test func `an explanation shows an entry at each version, with each step`() async throws {
    let place = try await seeded()
    let explanation = try EventStore(at: place.url, plan: WorkoutPlan.self).explain(1)
    #expect(explanation.entry.type == "SetsLogged")
    #expect(explanation.kinds.map(\.version) == [SchemaVersion(1, 0, 0)])
    #expect(explanation.kinds.map(\.shape) == ["(exercise: text, weight: float, reps: int64, sets: int64)"])
    #expect(explanation.version == SchemaVersion(1, 0, 0))
    #expect(explanation.steps.map(\.to) == [SchemaVersion(1, 1, 0), SchemaVersion(2, 0, 0)])
    let first = try #require(explanation.steps.first)
    #expect(first.crossings.map(\.fate.outcome) == [.converted])
    #expect(first.crossings.first?.fate.fields.contains { $0.line == "+ gym: text = \"Old Mill\"" } == true)
    #expect(try first.events.map(text).count == 1)
    let second = try #require(explanation.steps.last)
    #expect(second.crossings.map(\.fate.outcome) == [.split(into: ["SetLogged"])])
    #expect(
      try explanation.now.map(text) == [
        #"[0] SetLogged {"reps":5,"title":"Squat","kilograms":82.5}"#,
        #"[1] SetLogged {"reps":5,"title":"Squat","kilograms":82.5}"#,
      ])
    #expect(explanation.failure == nil)
    #expect(explanation.removal == nil)
  }

  @Test func `the last result equals the events that every read delivers`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: WorkoutPlan.self)
    var types: [String] = []
    for position in 1...4 as ClosedRange<UInt64> {
      types += try store.explain(Position(position)).now.map(\.type)
    }
    #expect(types == ["SetLogged", "SetLogged", "BodyWeighed", "Heartbeat", "GymNamed"])
    #expect(try store.events().count == types.count)
  }

  @Test(arguments: [
    (RemovalCause.rule, "rule"), (.fold, "fold"), (.erased, "erased"), (.quarantined, "quarantined"),
    (.moved, "moved"),
  ])
  func `a stub has the cause and reason of its removal`(cause: RemovalCause, name: String) async throws {
    let place = try await seeded()
    let log = try EventLog(at: place.url)
    let stub = Stub(
      cause: cause, from: SchemaVersion(1, 0, 0), to: SchemaVersion(1, 1, 0), reason: "it was noise")
    try replace(3, of: log, with: .stub(stub))
    let explanation = try log.explain(3, plan: WorkoutPlan.self)
    #expect(explanation.removal?.cause == name)
    #expect(explanation.removal?.from == SchemaVersion(1, 0, 0))
    #expect(explanation.removal?.to == SchemaVersion(1, 1, 0))
    #expect(explanation.removal?.reason == "it was noise")
    #expect(explanation.kinds.map(\.type) == ["Heartbeat"])
    #expect(explanation.version == nil)
    #expect(explanation.now == [])
    #expect(explanation.steps.isEmpty)
    #expect(explanation.failure == nil)
    // Nothing of it is delivered at any version either.
    var lines = try EventLines(log, plan: WorkoutPlan.self, as: SchemaVersion(1, 0, 0))
    let page = try #require(try lines.nextPage())
    #expect(page.count { $0 == UInt8(ascii: "\n") } == 3)
  }

  @Test func `an entry in quarantine shows its payload, and why a pass has set it aside`() async throws {
    let place = try await seeded()
    let log = try EventLog(at: place.url)
    let mark = QuarantineMark(
      from: SchemaVersion(1, 0, 0), to: SchemaVersion(1, 1, 0), cause: "its rule threw")
    let bytes = try log.read { (snapshot) throws -> [UInt8] in
      let old = try snapshot.reader.bytes(at: 3)
      let header = try snapshot.reader.header(old, at: 3)
      var extensions = try EntryExtensions(old, header)
      extensions[QuarantineMark.key] = mark.encoded()
      let encoded = extensions.encoded()
      var copy = EntryCopy(
        old, header, kind: header.kind, form: .payload, body: old.extracting(header.body))
      copy.extensions = encoded.span
      var bytes = [UInt8](repeating: 0, count: copy.count)
      var span = bytes.mutableSpan
      copy.write(to: &span, at: 3)
      return bytes
    }
    try log.core.generation.environment.write { (transaction) throws(EnvironmentError) in
      try transaction.put(bytes.span, forKey: 3, in: log.core.generation.tables.entries)
    }
    let explanation = try log.explain(3, plan: WorkoutPlan.self)
    #expect(explanation.removal?.cause == "quarantined")
    #expect(explanation.removal?.to == SchemaVersion(1, 1, 0))
    #expect(explanation.removal?.reason == "its rule threw")
    #expect(explanation.now == [])
    guard case .payload(let payload) = explanation.entry.content else {
      Issue.record("the payload is gone")
      return
    }
    #expect(try payload.json() == #"{"n":7}"#)
  }

  @Test func `parts that were stored keep their paths`() async throws {
    let place = try await seeded()
    let store = try EventStore(at: place.url, plan: WorkoutPlan.self)
    try await store.append([.setLogged(.init(title: "Row", kilograms: 60, reps: 8))], to: "workout-2")
    let (kind, payload) = try store.log.read { (snapshot) throws(AnnalsError) -> (UInt32, [UInt8]) in
      let bytes = try snapshot.reader.bytes(at: 5)
      let header = try snapshot.reader.header(bytes, at: 5)
      return (header.kind, bytes.extracting(header.body).copied)
    }
    try replace(
      3, of: store.log,
      with: .parts([
        .init(kind: kind, path: [0], payload: payload), .init(kind: kind, path: [2, 1], payload: payload),
      ]))
    let explanation = try store.explain(3)
    #expect(explanation.version == SchemaVersion(2, 0, 0))
    #expect(explanation.steps.isEmpty)
    #expect(
      try explanation.now.map(text) == [
        #"[0] SetLogged {"reps":8,"title":"Row","kilograms":60.0}"#,
        #"[2, 1] SetLogged {"reps":8,"title":"Row","kilograms":60.0}"#,
      ])
  }

  @Test func `a stage whose context the store lacks fails until it is activated`() async throws {
    let place = try await seeded()
    let log = try EventLog(at: place.url)
    let before = try log.explain(1, plan: CountedPlan.self)
    #expect(before.failure?.code == .requiresActivation)
    #expect(before.steps.map(\.to) == [SchemaVersion(1, 1, 0), SchemaVersion(2, 0, 0)])
    #expect(before.now == [])
    let check = try CountedPlan.check(store: place.url)
    #expect(check.needsActivation)
    #expect(!check.opens)
    #expect(check.stages.map(\.isDue) == [false, true])
    var options = StoreOptions()
    options.activating = true
    _ = try EventStore(at: place.url, plan: CountedPlan.self, options: options)
    #expect(try CountedPlan.check(store: place.url).opens)
    #expect(
      try log.explain(1, plan: CountedPlan.self).now.map(text) == [
        #"[] SetLogged {"reps":4,"title":"Squat","kilograms":82.5}"#
      ])
  }

  @Test(arguments: [0, 5, UInt64.max])
  func `a position that the log does not have is reported with the valid positions`(position: UInt64)
    async throws
  {
    let place = try await seeded()
    let log = try EventLog(at: place.url)
    let error = #expect(throws: AnnalsError.self) {
      try log.explain(Position(position), plan: WorkoutPlan.self)
    }
    #expect(error?.code == .wrongUse)
    #expect(error?.message.hasSuffix("the log has the positions 1 to 4") == true)
  }

  @Test func `an empty log has no positions`() throws {
    let place = try TemporaryStore()
    let error = #expect(throws: AnnalsError.self) {
      try EventLog(at: place.url).explain(1, plan: WorkoutPlan.self)
    }
    #expect(error?.message.hasSuffix("the log is empty") == true)
  }

  @Test func `an entry that is damaged is damage with its position`() async throws {
    let place = try await seeded()
    let log = try EventLog(at: place.url)
    try log.core.generation.environment.write { (transaction) throws(EnvironmentError) in
      try transaction.put(
        [UInt8](repeating: 1, count: 40).span, forKey: 2, in: log.core.generation.tables.entries)
    }
    let error = #expect(throws: AnnalsError.self) { try log.explain(2, plan: WorkoutPlan.self) }
    #expect(error?.code == .damaged)
    #expect(error?.details.position == 2)
    #expect(try log.explain(1, plan: WorkoutPlan.self).failure == nil)
  }
}

/// How many entries there were.
private struct Count: Codable {
  var entries = 0
}

private enum CountedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<WorkoutsV1, WorkoutsV2> {
    MigrationStage.lightweight(fromVersion: WorkoutsV1.self, toVersion: WorkoutsV11.self) {
      Default(\.setsLogged, \.gym, "Old Mill")
    }
    MigrationStage.custom(
      fromVersion: WorkoutsV11.self, toVersion: WorkoutsV2.self,
      prepare: { history in try history.reduce(into: Count()) { count, _ in count.entries += 1 } }
    ) {
      Upcast(\.setsLogged, to: \.setLogged) { old, _, count in
        .init(title: old.title, kilograms: old.weight, reps: count.entries)
      }
    }
  }
}
