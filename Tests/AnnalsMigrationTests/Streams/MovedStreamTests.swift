import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore
@testable import AnnalsSubscriptions
@testable import LMDB

/// The information about former names of streams.
@Suite struct MovedStreamTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  /// A store of the plan's current version with former streams "user 0", "spare 0", "user 1", "club" and
  /// "else".
  private func moved<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) async throws -> EventStore<Plan> {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      for name in ["user 0", "spare 0", "user 1", "club", "else"] {
        try await store.append(
          [.weighed(.init(n: 1)), .lifted(.init(n: 2, sets: 1)), .noted(.init(n: 3))], to: StreamName(name))
      }
    }
    try await place.migrate(plan)
    return try EventStore(at: place.url, plan: plan)
  }

  @Test func `a name that moved leads to the streams where its entries are`() async throws {
    let store = try await moved(ClubSecond.self)
    #expect(try store.log.moved(from: "user 0") == ["athlete-0"])
    #expect(try store.log.moved(from: "spare 0") == ["athlete-0"])
    #expect(try store.log.moved(from: "club") == ["weights", "lifts"])
    #expect(try store.log.moved(from: "else") == [])
    #expect(try store.log.moved(from: "nobody") == [])
    #expect(try store.log.moved(from: "athlete-0") == [])
  }

  @Test func `a consumer goes on over a pass that moved the entry it had read last`() async throws {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      for name in ["else", "user 0", "spare 0"] {
        try await store.append([.weighed(.init(n: 1)), .noted(.init(n: 3))], to: StreamName(name))
      }
      try await store.process("reader", options: ProcessingOptions(endsAtHead: true)) { _ in }
      #expect(try store.checkpoint(of: "reader")?.position == 6)
    }
    try await place.migrate(ClubSecond.self)
    let store = try EventStore(at: place.url, plan: ClubSecond.self)
    #expect(try store.log.moved(from: "spare 0") == ["athlete-0"])
    try await store.append([.noted(.init(n: 9))], to: "new")
    var seen: [Position] = []
    try await store.process("reader", options: ProcessingOptions(endsAtHead: true)) { element in
      seen.append(element.entry.position)
    }
    #expect(seen == [7])
  }

  @Test func `a subscription gives streams the names that a pass has given them meanwhile`() async throws {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      try await store.append([.weighed(.init(n: 1)), .noted(.init(n: 3))], to: "user 0")
    }
    let log = try EventLog(at: place.url)
    var subscription = log.subscribe(from: .beginning)
    subscription.limits.elements = 1
    var entries = subscription.makeAsyncIterator()
    #expect(try await entries.next()?.entry.stream == "user 0")
    try await place.migrate(ClubSecond.self)
    #expect(try await entries.next()?.entry.stream == "athlete-0")
  }

  @Test func `a name that moved holds no entries`() async throws {
    let store = try await moved(ClubSecond.self)
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(in: "user 0")
      #expect(try entries.next() == nil)
    }
    #expect(
      try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.revision(of: "user 0") } == nil)
  }

  @Test(arguments: [.noStream, .exists, .revision(2)] as [Annals.Expectation])
  func `an expectation about a moved name fails with the new name`(expected: Annals.Expectation)
    async throws
  {
    let store = try await moved(ClubSecond.self)
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.noted(.init(n: 9))], to: "user 0", expecting: expected)
    }
    #expect(error?.code == .streamMoved && error?.recovery == [])
    #expect(error?.details.stream == "user 0" && error?.details.movedTo == ["athlete-0"])
    #expect(error?.message.contains("moved to 'athlete-0'") == true)
    // A check of another call is no different.
    let checked = await #expect(throws: AnnalsError.self) {
      try await store.append { call in
        call.check("user 0", expected)
        call.append([.noted(.init(n: 9))], to: "else")
      }
    }
    #expect(checked?.code == .streamMoved)
    #expect(try store.log.info().entries == 15)
  }

  @Test func `other expectations next to it are unchanged`() async throws {
    let store = try await moved(ClubSecond.self)
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.noted(.init(n: 9))], to: "nobody", expecting: .exists)
    }
    #expect(error?.code == .conflict)
    #expect(try await store.append([.noted(.init(n: 9))], to: "new", expecting: .noStream).revisions == [0])
  }

  @Test func `an append that expects nothing begins the name again`() async throws {
    let store = try await moved(ClubSecond.self)
    #expect(try await store.append([.noted(.init(n: 9))], to: "user 0").revisions == [0])
    // From then on it is a stream like any other.
    #expect(
      try await store.append([.noted(.init(n: 10))], to: "user 0", expecting: .revision(0)).revisions == [1])
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.noted(.init(n: 9))], to: "user 0", expecting: .noStream)
    }
    #expect(error?.code == .conflict)
    // Those that moved are where they are.
    #expect(try store.log.moved(from: "user 0") == ["athlete-0"])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a stream that part of stays is expected as ever`() async throws {
    let store = try await moved(ClubSecond.self)
    #expect(
      try await store.append([.noted(.init(n: 9))], to: "club", expecting: .revision(0)).revisions == [1])
  }

  @Test func `later generations know it too, and later moves are followed`() async throws {
    let store = try await moved(ClubPlan.self)
    #expect(try store.log.info().generation == 4)
    #expect(try store.log.moved(from: "user 0") == ["even"])
    #expect(try store.log.moved(from: "user 1") == ["athlete-1"])
    _ = try await store.log.compact().report()
    #expect(try store.log.moved(from: "user 0") == ["even"])
    #expect(try store.log.moved(from: "athlete-0") == ["even"])
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.noted(.init(n: 9))], to: "spare 0", expecting: .exists)
    }
    #expect(error?.details.movedTo == ["even"])
  }

  @Test func `two streams that swap places swap their entries`() async throws {
    let store = try await moved(ClubPlan.self)
    #expect(try store.log.moved(from: "weights") == ["lifts"])
    #expect(try store.log.moved(from: "lifts") == ["weights"])
    #expect(
      try await store.append([.noted(.init(n: 9))], to: "weights", expecting: .revision(0)).revisions == [1])
  }

  @Test func `a row that was changed on the disk is found`() async throws {
    do { _ = try await moved(ClubSecond.self) }
    #expect(try EventLog.verify(place.url).isClean)
    let directory = try Directory.open(path: place.url.path)
    let locks = EnvironmentLocks(
      open: try FileLock("open.lock", in: directory), queue: try FileLock("queue.lock", in: directory),
      write: try FileLock("write.lock", in: directory))
    do {
      let environment = try Environment.open(
        "log-000002.mdb", in: directory, tables: StoreTables.definitions, locks: locks,
        options: EnvironmentOptions())
      let key = Array("moved user 0".utf8)
      try environment.write { (transaction) throws(EnvironmentError) in
        try transaction.put(
          [1, 1, 120, 0, 0, 0, 0, 0].span, forKey: key.span, in: StoreTables(environment).meta)
      }
    }
    let findings = try EventLog.verify(place.url).findings
    #expect(findings.map(\.place) == ["table 'meta', key 'moved user 0'"])
  }

  @Test func `of a stream that is split into many the first ones are kept`() throws {
    var row = MovedRow()
    for number in 0..<20 { _ = row.add(StreamName("part-\(number)")) }
    #expect(row.streams.count == 16 && row.hasMore)
    #expect(row.streams.first == "part-0" && row.streams.last == "part-15")
    #expect(try MovedRow(row.encoded().span) == row)
    #expect(!row.add("part-3") && !row.add("part-19"))
  }

  @Test(
    arguments: [[], [0, 0], [1, 1, 97], [1, 1, 97, 2], [1, 1, 97, 0, 0], [17], [1, 9, 97, 0]] as [[UInt8]])
  func `a row that is none is refused`(bytes: [UInt8]) {
    #expect(throws: FormatFailure.self) { try MovedRow(bytes.span) }
  }
}
