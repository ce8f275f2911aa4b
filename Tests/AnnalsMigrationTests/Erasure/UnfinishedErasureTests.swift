import AnnalsTestSupport
import Foundation
import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Erasures whose process was killed, and files that may have bytes of erased events.
@Suite struct UnfinishedErasureTests {
  private let customers: ErasedCustomers
  private var place: TemporaryStore { customers.place }

  init() throws {
    customers = try ErasedCustomers()
  }

  /// Runs an erasure in another process, which ends itself at a step.
  private func kill(at point: ErasurePoint) async {
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = place.url.path as String, name = point.rawValue as String] in
      let store = try EventStore(at: URL(fileURLWithPath: path), plan: InlineAccountsPlan.self)
      let observer = ErasurePoint.Observer {
        if $0.rawValue == name { _ = Foundation.kill(getpid(), SIGKILL) }
      }
      try ErasurePoint.$observer.withValue(observer) {
        _ = try store.erase(stream: "customer-1", by: "jane", because: "request")
      }
    }
  }

  @Test(arguments: ErasurePoint.allCases)
  func `a killed erasure is listed until the next open of the store completes it`(
    point: ErasurePoint
  ) async throws {
    do {
      let store = try customers.store()
      try await customers.fill(store)
      _ = try store.load(ErasedCustomers.Profile.self, from: "customer-1")
    }
    await kill(at: point)
    do {
      let log = try EventLog(at: place.url)
      let unfinished = try log.unfinishedErasures()
      #expect(unfinished.map(\.author) == ["jane"] && unfinished.map(\.reason) == ["request"])
      #expect(unfinished.map(\.positions) == [[1...5]])
      #expect(try log.erasures().count == (point == .withdrawn ? 0 : 1))
    }
    let store = try customers.store()
    #expect(try store.log.unfinishedErasures() == [])
    #expect(try store.log.erasures().map(\.positions) == [[1...5]], "it is recorded once")
    #expect(try store.log.erasures().map(\.author) == ["jane"])
    #expect(try store.log.read { try $0.entry(at: 1) }?.stream == "$erased-1")
    #expect(try store.load(ErasedCustomers.Profile.self, from: "customer-1").state.name == "")
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `the next erasure, and finishErasures, complete a killed one`() async throws {
    do { try await customers.fill(customers.store()) }
    await kill(at: .withdrawn)
    do {
      let log = try EventLog(at: place.url)
      #expect(try log.erase([6], by: "joe", because: "other").entries == 1)
      #expect(try log.erasures().map(\.author) == ["jane", "joe"])
      #expect(try log.unfinishedErasures() == [])
    }
    try await customers.store().append([.moved(.init(amount: 3))], to: "customer-1")
    await kill(at: .withdrawn)
    let log = try EventLog(at: place.url)
    try log.finishErasures()
    #expect(try log.unfinishedErasures() == [])
    #expect(try log.erasures().last?.positions == [10...10])
    try log.finishErasures()
    #expect(try log.erasures().count == 3)
  }

  @Test func `a pass keeps the note of a killed erasure, and a refused erasure leaves none`() async throws {
    do {
      let store = try customers.store()
      try await customers.fill(store)
      #expect(throws: AnnalsError.self) { try store.erase([1, 500], by: "jane", because: "request") }
      #expect(throws: AnnalsError.self) { try store.erase([0], by: "jane", because: "request") }
      #expect(try store.log.unfinishedErasures() == [])
      #expect(try store.log.erasures() == [])
    }
    await kill(at: .withdrawn)
    do {
      let log = try EventLog(at: place.url)
      try await log.truncate("customer-2", before: 1)
      _ = try await log.compact().report()
      #expect(try log.info().generation == 2)
      #expect(try log.unfinishedErasures().count == 1)
    }
    #expect(try customers.store().log.unfinishedErasures() == [])
    #expect(try EventLog.verify(place.url).isClean)
  }

  // A rollback would lose a person's erasure.
  @Test func `a rollback does not forget a killed erasure that was begun since the switch`() async throws {
    do { try await customers.fill(customers.store()) }
    do { _ = try await EventLog(at: place.url).compact().report() }
    await kill(at: .withdrawn)
    let error = #expect(throws: AnnalsError.self) { try EventLog.rollback(place.url) }
    #expect(error?.code == .busy && error?.message.contains("jane") == true)
    do {
      let log = try EventLog(at: place.url)
      #expect(try log.info().generation == 2)
      #expect(try log.unfinishedErasures().map(\.positions) == [[1...5]])
    }
    #expect(try customers.store().log.erasures().map(\.positions) == [[1...5]])
    #expect(throws: AnnalsError.self) { try EventLog.rollback(place.url) }
  }

  @Test func `a note from before a switch, and one from within a pass, stay in every generation`()
    async throws
  {
    do { try await customers.fill(customers.store()) }
    let stopping = Stopping()
    var options = MigrationOptions()
    options.atPoint = { if $0 == .copied { stopping.stop() } }
    do {
      let run = try EventLog(at: place.url).compact(options)
      stopping.put(run)
      await #expect(throws: AnnalsError.self) { try await run.report() }
    }
    // The pass has taken over the rows of the old generation by now.
    await kill(at: .withdrawn)
    let log = try EventLog(at: place.url)
    let report = try await log.compact().report()
    #expect(report.resumedAt > 0)
    #expect(try log.unfinishedErasures().map(\.positions) == [[1...5]])
    // Both generations have the note.
    #expect(try EventLog.rollback(place.url).to == 1)
    #expect(try log.unfinishedErasures().map(\.positions) == [[1...5]])
    #expect(try customers.store().log.erasures().map(\.positions) == [[1...5]])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `the note is read as it was written, and no other bytes are`() throws {
    let row = ErasingRow(
      positions: PositionRanges([1, 2, 9]), stream: (1, 3), author: "j", reason: "r")
    let bytes = row.encoded()
    #expect(bytes == [1, 3, 1, 0x6a, 1, 0x72, 2, 1, 1, 7, 0])
    #expect(try ErasingRow(bytes.span) == row)
    let other = ErasingRow(positions: PositionRanges([4]), stream: nil, author: "", reason: "")
    #expect(try ErasingRow(other.encoded().span) == other)
    for count in bytes.indices {
      #expect(throws: FormatFailure.self) { try ErasingRow(Array(bytes.prefix(count)).span) }
    }
    #expect(throws: FormatFailure.self) { try ErasingRow((bytes + [0]).span) }
  }

  @Test(arguments: [PositionRanges([3, 500]), PositionRanges()])
  func `verify finds a note that names what is not there, and a damaged one`(
    positions: PositionRanges
  ) async throws {
    let log = try EventLog(at: place.url)
    do { try await customers.fill(customers.store()) }
    let row = ErasingRow(positions: positions, stream: nil, author: "j", reason: "r")
    // Without positions, bytes that are no note.
    let bytes = positions.isEmpty ? [0xff] : row.encoded()
    let generation = log.core.generation
    try generation.environment.write(durability: .full, failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      try transaction.put(bytes, ErasingRow.name, in: generation.tables.meta)
    }
    let report = try EventLog.verify(place.url)
    #expect(report.count == 1 && report.findings.first?.place.contains("'meta'") == true, "\(report)")
  }

  @Test(arguments: [1, 2]) func `an erasure that was killed between two of its commits is completed`(
    commits: Int
  ) async throws {
    let count = UInt64(2 * Erasing.batch + 1)
    do {
      let store = try customers.store()
      try await customers.fill(store)
      try await store.append((0..<(count - 5)).map { .moved(.init(amount: Int($0))) }, to: "customer-1")
    }
    let last = 7 + count - 5
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = place.url.path as String, commits = commits as Int] in
      let store = try EventStore(at: URL(fileURLWithPath: path), plan: InlineAccountsPlan.self)
      let reached = Mutex(0)
      let observer = ErasurePoint.Observer { point in
        guard point == .committed else { return }
        let isLast = reached.withLock {
          $0 += 1
          return $0 == commits
        }
        if isLast { _ = Foundation.kill(getpid(), SIGKILL) }
      }
      try ErasurePoint.$observer.withValue(observer) {
        _ = try store.erase(stream: "customer-1", by: "jane", because: "request")
      }
    }
    let all: [ClosedRange<Position>] = [1...5, 8...Position(last)]
    let numbers = Set(all.flatMap { $0.lowerBound.rawValue...$0.upperBound.rawValue })
    do {
      let log = try EventLog(at: place.url)
      #expect(try log.unfinishedErasures().map(\.positions) == [all])
      #expect(try log.erasures().map(\.count) == Array(repeating: UInt64(Erasing.batch), count: commits))
    }
    let store = try customers.store()
    #expect(try store.log.unfinishedErasures() == [])
    #expect(try store.log.erasures().map(\.count) == [UInt64(Erasing.batch), UInt64(Erasing.batch), 1])
    let erased = try store.log.erasures().flatMap(\.positions)
    #expect(Set(erased.flatMap { $0.lowerBound.rawValue...$0.upperBound.rawValue }) == numbers)
    let typed = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var positions: [Position] = []
      while let entry = try entries.next() { positions.append(entry.position) }
      return positions
    }
    #expect(typed == [6, 7])
    #expect(try EventLog.verify(place.url).isClean)
  }

  /// Withdraws the view of the people by an erasure, in a process that does not open the view.
  private func withdrawPeople() async throws {
    do {
      let store = try customers.store()
      try await customers.fill(store)
      try await store.view(ErasedCustomers.People.self).waitUntil(7)
    }
    let log = try EventLog(at: place.url)
    try log.erase(stream: "customer-1", by: "jane", because: "request")
    _ = try await log.compact().report()
  }

  private func people(_ store: EventStore<InlineAccountsPlan>) async throws -> [String] {
    let view = try store.view(ErasedCustomers.People.self)
    try await view.waitUntil(8)
    return try view.rows(RowQuery(ErasedCustomers.People.Person.self)).map(\.name)
  }

  @Test func `the former rows of a view are listed until a program opens the view`() async throws {
    try await withdrawPeople()
    #expect(try EventLog(at: place.url).erasures().map(\.remains) == [[.generation(1), .view("people")]])
    do {
      let log = try EventLog(at: place.url, options: StoreOptions(access: .readOnly))
      #expect(try log.erasures().map(\.remains) == [[.generation(1), .view("people")]])
    }
    do { #expect(try await people(customers.store()) == ["Ann"]) }
    try await waitUntil { try EventLog(at: place.url).erasures().map(\.remains) == [[.generation(1)]] }
    #expect(try EventLog.discardPrevious(place.url).views == [])
    #expect(try customers.hasSecret(in: place.url) == [])
  }

  @Test func `discard-previous removes the former rows of a view that no program has open`() async throws {
    try await withdrawPeople()
    #expect(try !customers.hasSecret(in: place.url).isEmpty)
    do {
      let log = try EventLog(at: place.url)
      let directory = try #require(try ViewDirectory.open(in: log.core.generation.directory, .readWrite))
      let number = try #require(try log.core.withdrawnFiles().first).number
      let open = try directory.open(number, called: "people", of: log.core)
      #expect(try EventLog.discardPrevious(place.url).views == [], "somebody has it open")
      #expect(try log.erasures().map(\.remains) == [[.view("people")]])
      _ = try open.read { (view) throws(AnnalsError) in try open.facts(view) }
    }
    let report = try EventLog.discardPrevious(place.url)
    #expect(report.views == ["people"] && report.discarded == [])
    #expect(try EventLog(at: place.url).erasures().map(\.remains) == [[]])
    #expect(try customers.hasSecret(in: place.url) == [])
    #expect(try await people(customers.store()) == ["Ann"], "it is built from the log")
    #expect(try EventLog.discardPrevious(place.url).views == [], "views that are read stay")
    #expect(try await people(customers.store()) == ["Ann"])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `discard-previous removes a view's file that says nothing, and makes no directory`()
    async throws
  {
    try await withdrawPeople()
    let views = place.url.appending(path: "views")
    try Data("nonsense".utf8).write(to: views.appending(path: "v-000001.state"))
    #expect(try EventLog(at: place.url).erasures().map(\.remains) == [[.generation(1), .view(nil)]])
    #expect(try EventLog.discardPrevious(place.url).views == ["v-000001"])
    #expect(try customers.hasSecret(in: place.url) == [])
    #expect(try await people(customers.store()) == ["Ann"])
    let other = try TemporaryStore()
    try await EventLog(at: other.url).append([], to: "a")
    _ = try EventLog.discardPrevious(other.url)
    #expect(!FileManager.default.fileExists(atPath: other.url.appending(path: "views").path))
  }
}
