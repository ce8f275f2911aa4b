import Annals
import LMDB
import Synchronization
import Testing

@testable import AnnalsLog
@testable import AnnalsStore

@Schema(1, 0, 0) enum SeatsV1 {
  @Record struct Taken: Equatable {
    @Field(tag: "course") var course: String
    var seat: Int
  }
  @Record struct Left: Equatable {
    @Field(tag: "course") var course: String
    var seat: Int
  }
}

/// A seat has a row and a column. Seats below 1 have none, so that their rule throws.
@Schema(2, 0, 0) enum SeatsV2 {
  typealias Left = SeatsV1.Left
  @Record struct Taken: Equatable {
    @Field(tag: "course") var course: String
    var row: Int
  }
}

/// One record more than version 1, which programs of that version do not know.
@Schema(2, 0, 0, .bridge) enum SeatsV1Rated {
  typealias Taken = SeatsV1.Taken
  typealias Left = SeatsV1.Left
  @Record struct Rated: Equatable {
    @Field(tag: "course") var course: String
    var stars: Int
  }
}

enum SeatsFirst: SchemaMigrationPlan {
  static var stages: MigrationChain<SeatsV1, SeatsV1> {}
}

enum SeatsStrict: SchemaMigrationPlan {
  struct NoSeat: Error {}

  static var stages: MigrationChain<SeatsV1, SeatsV2> {
    MigrationStage.custom(fromVersion: SeatsV1.self, toVersion: SeatsV2.self) {
      Upcast(\.taken, to: \.taken) { old, _ in
        guard old.seat > 0 else { throw NoSeat() }
        return .init(course: old.course, row: old.seat / 10)
      }
    }
  }
}

enum SeatsRated: SchemaMigrationPlan {
  static var stages: MigrationChain<SeatsV1, SeatsV1Rated> {
    MigrationStage.lightweight(fromVersion: SeatsV1.self, toVersion: SeatsV1Rated.self)
  }
}

/// Typed conditions at entries that cannot be read: none of them counts as no match.
@Suite struct ConditionReadingTests {
  private typealias Query = EventQuery<SeatsV2.Event>
  private static let taken = SeatsV2.Event.taken(.init(course: "c1", row: 3))

  /// A store with a seat that version 2 cannot read, at position 2, between two that it can.
  private static func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let store = try EventStore(at: place.url, plan: SeatsFirst.self)
    try await store.append(
      [
        .taken(.init(course: "c0", seat: 1)), .taken(.init(course: "c1", seat: 0)),
        .left(.init(course: "c2", seat: 5)),
      ], to: "seats")
    return place
  }

  private static func quarantining(_ reports: QuarantineReports) -> StoreOptions {
    var options = StoreOptions()
    options.unreadable = .quarantine { reports.add($0.position) }
    return options
  }

  private final class QuarantineReports: Sendable {
    private let positions = Mutex<[Position]>([])
    func add(_ position: Position) { positions.withLock { $0.append(position) } }
    var all: [Position] { positions.withLock { $0 } }
  }

  private static func head(_ log: EventLog) throws -> Position? {
    try log.read { snapshot throws(AnnalsError) in try snapshot.head() }
  }

  @Test func `an entry that readers stop at stops an append whose condition it may match`() async throws {
    let place = try await Self.seeded()
    let store = try EventStore(at: place.url, plan: SeatsStrict.self)
    for query in [Query(tags: ["course:c1"]), Query([\.taken], tags: ["course:c1"]), Query([\.taken])] {
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append([Self.taken], to: "seats", unless: query, after: 1)
      }
      #expect(error?.code == .ruleFailed && error?.details.position == 2, "\(query)")
    }
    #expect(try Self.head(store.log) == 3)
    // The types of these queries, their tags or their positions leave the entry out.
    try await store.append([Self.taken], to: "seats", unless: Query([\.left], tags: ["course:c1"]))
    try await store.append([Self.taken], to: "seats", unless: Query([\.taken], tags: ["course:c9"]))
    let query = Query([\.taken], tags: ["course:c1"])
    try await store.append([Self.taken], to: "seats", unless: query, after: 5)
    #expect(try Self.head(store.log) == 6)
  }

  @Test func `an entry that readers skip refuses an append whose condition it may match`() async throws {
    let place = try await Self.seeded()
    let reports = QuarantineReports()
    let store = try EventStore(at: place.url, plan: SeatsStrict.self, options: Self.quarantining(reports))
    let query = Query([\.taken], tags: ["course:c1"])
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([Self.taken], to: "seats", unless: query)
    }
    #expect(error?.code == .conflict && error?.details.position == 2)
    #expect(error?.message.contains("cannot be read") == true)
    // A condition reports nothing: nobody has read the entry.
    #expect(reports.all == [] && store.quarantined == 0)
    #expect(try Self.head(store.log) == 3)
    try await store.append([Self.taken], to: "seats", unless: Query([\.left], tags: ["course:c1"]))
    // The decision reads without the entry, once and for its condition's position.
    try await store.decide(SeatCount(), matching: query, to: "seats") { count in
      #expect(count.seats == 1)
      return [Self.taken]
    }
    #expect(reports.all == [2])
    #expect(try Self.head(store.log) == 5)
  }

  @Test func `an entry that a pass has set aside is compared like any other`() async throws {
    let place = try await Self.seeded()
    let store = try EventStore(at: place.url, plan: SeatsStrict.self)
    var options = MigrationOptions()
    options.unreadable = .quarantine
    #expect(try await store.migrate(options).report().quarantined == 1)
    let query = Query([\.taken], tags: ["course:c1"])
    let stopped = await #expect(throws: AnnalsError.self) {
      try await store.append([Self.taken], to: "seats", unless: query)
    }
    #expect(stopped?.code == .ruleFailed && stopped?.details.position == 2)
    let reports = QuarantineReports()
    let skipping = try EventStore(at: place.url, plan: SeatsStrict.self, options: Self.quarantining(reports))
    let refused = await #expect(throws: AnnalsError.self) {
      try await skipping.append([Self.taken], to: "seats", unless: query)
    }
    #expect(refused?.code == .conflict && refused?.details.position == 2)
    try await skipping.append([Self.taken], to: "seats", unless: query, after: 3)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `an event of a newer type matches an item without types, and is none of the types of others`()
    async throws
  {
    typealias Query = EventQuery<SeatsV1.Event>
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    var options = StoreOptions()
    options.newerTypes = .skip
    let older = try EventStore(at: place.url, plan: SeatsFirst.self, options: options)
    let newer = try EventStore(at: place.url, plan: SeatsRated.self)
    try await newer.append([.rated(.init(course: "c1", stars: 5))], to: "ratings")
    let event = SeatsV1.Event.taken(.init(course: "c1", seat: 11))
    for query in [Query(tags: ["course:c1"]), Query.all, Query(items: [.init([\.left]), .init()])] {
      let error = await #expect(throws: AnnalsError.self) {
        try await older.append([event], to: "seats", unless: query)
      }
      #expect(error?.code == .conflict && error?.details.position == 1, "\(query)")
    }
    try await older.append([event], to: "seats", unless: Query([\.taken, \.left], tags: ["course:c1"]))
    let error = await #expect(throws: AnnalsError.self) {
      try await older.append([event], to: "seats", unless: Query([\.taken, \.left], tags: ["course:c1"]))
    }
    #expect(error?.code == .conflict && error?.details.position == 2)
    #expect(older.skipped == 0)
    try await older.append([event], to: "seats", unless: Query(tags: ["course:c1"]), after: 2)
  }

  @Test func `the exact comparison of a condition is made once for a call, and only for a candidate`()
    async throws
  {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    for number in 0..<200 {
      try await log.append(
        [
          NewEntry(
            type: "Noted", version: nil, payload: Payload(stored: [0xa0]), tags: ["hot", "n:\(number)"])
        ],
        to: "events")
    }
    let calls = ComparisonCalls()
    func append(_ query: LogQuery) throws -> Appended {
      var request = AppendRequest(time: 0)
      request.add("other", expecting: .any)
      request.conditions = [
        AppendCondition(query.tags, after: nil, CountedForm(query: query, calls: calls))
      ]
      return try log.append(blocking: request)
    }
    _ = try append([.init(tags: ["cold"])])
    #expect(calls.counts == [0, 0])
    _ = try append([.init(tags: ["hot"])])
    #expect(calls.counts == [1, 200])
    _ = try append([.init(types: ["Noted"])])
    #expect(calls.counts == [2, 400])
  }

  @Test func `a condition on a tag that nobody has used since its position reads nothing of the log`()
    async throws
  {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    func event(_ tags: [EventTag]) -> NewEntry {
      NewEntry(type: "Noted", version: nil, payload: Payload(stored: [0xa0]), tags: tags)
    }
    for number in 1...20 { try await log.append([event(number <= 10 ? ["t"] : ["u"])], to: "events") }
    // No entry with the first tag can be read any more, but for the one with the name of the stream.
    let generation = log.core.generation
    try generation.environment.write { (transaction) throws(EnvironmentError) in
      for position in 2...10 as ClosedRange<UInt64> {
        try transaction.put([1, 2, 3].span, forKey: position, in: generation.tables.entries)
      }
    }
    let both: LogQuery = [.init(tags: ["t", "u"])]
    let any: LogQuery = [.init(tags: ["t"]), .init(tags: ["nobody"])]
    try await log.append([event([])], to: "events", unless: [.init(tags: ["t"])], after: 10)
    try await log.append([event([])], to: "events", unless: both, after: 10)
    try await log.append([event([])], to: "events", unless: any, after: 15)
    let error = await #expect(throws: AnnalsError.self) {
      try await log.append([event([])], to: "events", unless: [.init(tags: ["t"])], after: 5)
    }
    #expect(error?.code == .damaged)
    #expect(try Self.head(log) == 23)
  }

  @Test func `the plan that conditions compare with is made once for a store`() throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let store = try EventStore(at: place.url, plan: SeatsFirst.self)
    #expect(store.reach.strict === store.reach)
    let reports = QuarantineReports()
    let skipping = try EventStore(at: place.url, plan: SeatsFirst.self, options: Self.quarantining(reports))
    #expect(skipping.reach.strict === skipping.reach.strict)
    #expect(skipping.reach.strict !== skipping.reach)
    #expect(skipping.reach.strict.quarantine == nil && skipping.reach.strict.skipping == nil)
  }
}

/// The number of seats that are taken.
private struct SeatCount: DecisionModel {
  var seats = 0
  mutating func apply(_ entry: Entry<SeatsV2.Event>) {
    if case .taken = entry.event { seats += 1 }
  }
}

private final class ComparisonCalls: Sendable {
  private let numbers = Mutex<[Int]>([0, 0])
  var counts: [Int] { numbers.withLock { $0 } }
  func add(made: Int = 0, compared: Int = 0) {
    numbers.withLock {
      $0[0] += made
      $0[1] += compared
    }
  }
}

private struct CountedForm: ConditionForm {
  let query: LogQuery
  let calls: ComparisonCalls

  func stored(_ kinds: KindRegistry) -> StoredQuery { query.stored(kinds) }

  var shared: SharedQuery { query.shared }

  func comparison(_: KindRegistry, _: Generation) -> (any ConditionComparison)? {
    calls.add(made: 1)
    return CountedComparison(calls: calls)
  }
}

private struct CountedComparison: ConditionComparison {
  let calls: ComparisonCalls
  func compare(
    _ entry: borrowing LentEntry, of stream: StreamName
  ) throws(AnnalsError) -> ConditionResult {
    calls.add(compared: 1)
    return .differs
  }
}
