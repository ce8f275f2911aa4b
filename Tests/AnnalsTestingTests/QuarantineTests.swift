import Annals
import AnnalsTesting
import Synchronization
import Testing

@Suite struct QuarantineTests {
  /// The reports of a store.
  private final class Reports: Sendable {
    private let entries = Mutex<[QuarantinedEntry]>([])

    var all: [QuarantinedEntry] { entries.withLock { $0 } }

    var options: StoreOptions {
      var options = StoreOptions()
      options.unreadable = .quarantine { [self] entry in entries.withLock { $0.append(entry) } }
      return options
    }
  }

  /// A stream whose second entry a rule refuses and whose fourth is no payload of its record.
  private func seeded() async throws -> TestStore {
    let place = try TestStore()
    try await place.seed(Paces.self) { call in
      call.append([.walked(.init(steps: 1)), .walked(.init(steps: -1)), .walked(.init(steps: 3))], to: "x")
    }
    try await place.seed("Walked", version: Paces.version, [["steps": "many"], ["steps": 5]], to: "x")
    return place
  }

  private let wanted: [Metres.Event] = [
    .left(.init(metres: 1)), .right(.init(metres: 1)), .left(.init(metres: 3)), .right(.init(metres: 3)),
    .left(.init(metres: 5)), .right(.init(metres: 5)),
  ]

  @Test func `without quarantine a reader stops at the first entry that it cannot read`() async throws {
    let store = try await seeded().open(plan: MetresPlan.self)
    let error = #expect(throws: AnnalsError.self) { try store.events() }
    #expect(error?.details.position == 2)
    #expect(store.quarantined == 0)
  }

  @Test func `in quarantine the entries that cannot be read are passed over, and all others read`()
    async throws
  {
    let reports = Reports()
    let store = try await seeded().open(plan: MetresPlan.self, options: reports.options)
    #expect(try store.events() == wanted)
  }

  @Test func `a skipped entry is reported with its place, type, version and cause`() async throws {
    let reports = Reports()
    let store = try await seeded().open(plan: MetresPlan.self, options: reports.options)
    _ = try store.events()
    #expect(reports.all.map(\.position) == [2, 4])
    #expect(reports.all.map(\.revision) == [1, 3])
    #expect(reports.all.allSatisfy { $0.stream == "x" && $0.type == "Walked" && $0.version == Paces.version })
    #expect(reports.all.map(\.cause.code) == [.ruleFailed, .malformed])
    #expect(reports.all.first?.cause.underlying is MetresPlan.Backwards)
  }

  @Test func `each reader counts the entries it skips`() async throws {
    let store = try await seeded().open(plan: MetresPlan.self, options: Reports().options)
    #expect(store.quarantined == 0)
    _ = try store.events()
    #expect(store.quarantined == 2)
    _ = try store.events()
    #expect(store.quarantined == 4)
  }

  @Test(arguments: [false, true])
  func `a stream, either direction and a loop that waits pass over the same`(backwards: Bool) async throws {
    let store = try await seeded().open(plan: MetresPlan.self, options: Reports().options)
    let wanted = backwards ? wanted.reversed() : wanted
    let read = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(in: "x", backwards: backwards)
      var events: [Metres.Event] = []
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
    #expect(read == wanted)
    var waited: [Metres.Event] = []
    for try await entry in store.entries(backwards: backwards) { waited.append(entry.event) }
    #expect(waited == wanted)
    #expect(store.quarantined == 4)
  }

  @Test func `a limit counts only delivered entries`() async throws {
    let store = try await seeded().open(plan: MetresPlan.self, options: Reports().options)
    var read: [Metres.Event] = []
    for try await entry in store.entries(limit: 3) { read.append(entry.event) }
    // Both parts of the second entry come, and the one that is skipped between them does not count.
    #expect(read == Array(wanted.prefix(4)))
  }

  @Test func `nothing in the store is changed, and positions stay taken`() async throws {
    let place = try await seeded()
    do {
      let store = try place.open(plan: MetresPlan.self, options: Reports().options)
      _ = try store.events()
      #expect(try store.read { (snapshot) throws(AnnalsError) in try snapshot.revision(of: "x") } == 4)
      #expect(try store.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == 5)
    }
    let error = #expect(throws: AnnalsError.self) { try place.open(plan: MetresPlan.self).events() }
    #expect(error?.details.position == 2)
  }

  @Test func `a version that the plan lacks still fails the open`() async throws {
    let place = try await seeded()
    try await place.seed("Walked", version: SchemaVersion(0, 1, 0), [["steps": 1]], to: "x")
    let error = #expect(throws: AnnalsError.self) {
      try place.open(plan: MetresPlan.self, options: Reports().options)
    }
    #expect(error?.code == .storeTooOld)
  }

  @Test func `a part that fails takes the parts before it along`() async throws {
    let place = try TestStore()
    try await place.seed(Paces.self) { call in
      call.append([.walked(.init(steps: 7)), .walked(.init(steps: 1))], to: "x")
    }
    let reports = Reports()
    let store = try place.open(plan: FeetPlan.self, options: reports.options)
    #expect(try store.events() == [.left(.init(feet: 3)), .right(.init(feet: 3))])
    #expect(reports.all.map(\.position) == [1])
  }
}

@Schema(1, 0, 0) private enum Paces {
  fileprivate struct Walked: Record, Codable { var steps: Int }
}
@Schema(2, 0, 0) private enum Metres {
  @Record fileprivate struct Left: Equatable { var metres: Int }
  @Record fileprivate struct Right: Equatable { var metres: Int }
}
@Schema(3, 0, 0) private enum Feet {
  @Record fileprivate struct Left: Equatable { var feet: Int }
  @Record fileprivate struct Right: Equatable { var feet: Int }
}
extension Metres.Event: Equatable {}
extension Feet.Event: Equatable {}

private enum MetresPlan: SchemaMigrationPlan {
  struct Backwards: Error {}

  static let toMetres = MigrationStage.custom(fromVersion: Paces.self, toVersion: Metres.self) {
    Split(\.walked, into: [\.left, \.right]) { old, origin in
      guard old.steps >= 0 else { throw Backwards() }
      return [.left(.init(metres: old.steps)), .right(.init(metres: old.steps))]
    }
  }
  static var stages: MigrationChain<Paces, Metres> { toMetres }
}

/// The right foot cannot walk seven.
private enum FeetPlan: SchemaMigrationPlan {
  struct Seven: Error {}

  static var stages: MigrationChain<Paces, Feet> {
    MetresPlan.toMetres
    MigrationStage.custom(fromVersion: Metres.self, toVersion: Feet.self) {
      Upcast(\.left, to: \.left) { old, origin in .init(feet: 3 * old.metres) }
      Upcast(\.right, to: \.right) { old, origin in
        guard old.metres != 7 else { throw Seven() }
        return .init(feet: 3 * old.metres)
      }
    }
  }
}
