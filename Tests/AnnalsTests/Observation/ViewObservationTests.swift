import Foundation
import LMDB
import Observation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// What those are told who observe a view.
@Suite struct ViewObservationTests {
  typealias Item = Stock.Item

  /// A change in words.
  private func text(_ change: ViewChange<Item>?) -> String {
    switch change {
    case .put(let item, let position): "\(item.name)=\(item.count)@\(position)"
    case .removed(let item, let position): "\(item == RowIdentity("a") ? "a" : "other") gone@\(position)"
    case .reset: "reset"
    case nil: "end"
    }
  }

  @Test("changes are told in their order, those of the range alone, and from the moment they were asked for")
  func changes() async throws {
    let room = try StockRoom()
    try await room.count(["a": 1, "z": 1])
    let all = room.view.changes(of: Item.self)
    let some = room.view.changes(of: Item.self, in: .prefix("b"))
    try await room.count(["b1": 1])
    try await room.count(["c": 5])
    try await room.note([.soldOut(.init(item: "a"))])
    try await room.count(["b2": 2])
    var iterator = all.makeAsyncIterator()
    var told: [String] = []
    for _ in 0..<4 { told.append(text(try await iterator.next())) }
    #expect(told == ["b1=1@3", "c=5@4", "a gone@5", "b2=2@6"])
    var narrow = some.makeAsyncIterator()
    told = []
    for _ in 0..<2 { told.append(text(try await narrow.next())) }
    #expect(told == ["b1=1@3", "b2=2@6"])
    // What comes later is waited for.
    async let next = iterator.next()
    try await room.count(["d": 7])
    #expect(text(try await next) == "d=7@7")
  }

  @Test("of a row that has changed several times only how it stands is told")
  func conflation() async throws {
    let room = try StockRoom()
    try await room.count(["a": 0])
    let changes = room.view.changes(of: Item.self)
    for number in 1...20 { try await room.count(["a": number, "b": -number]) }
    var iterator = changes.makeAsyncIterator()
    let told = [text(try await iterator.next()), text(try await iterator.next())]
    #expect(told == ["a=20@41", "b=-20@41"])
  }

  @Test("rows kept by what is told are those of the view", arguments: 1...3 as ClosedRange<UInt64>)
  func mirror(seed: UInt64) async throws {
    let room = try StockRoom()
    var random = SeededGenerator(seed: seed)
    try await room.count(["start": 1])
    let start = try room.view.rows(RowQuery(Item.self))
    let changes = room.view.changes(of: Item.self)
    let mirror = Mutex(Dictionary(uniqueKeysWithValues: start.map { (RowIdentity<Item>(of: $0), $0) }))
    let reader = Task {
      for try await change in changes {
        switch change {
        case .put(let item, _): mirror.withLock { $0[RowIdentity(of: item)] = item }
        case .removed(let item, _): mirror.withLock { $0[item] = nil }
        case .reset: Issue.record("nothing was reset")
        }
        if case .put(let item, _) = change, item.name == "end" { return }
      }
    }
    for _ in 0..<40 {
      let events: [StockV1.Event] = (0..<Int.random(in: 1...20, using: &random)).map { _ in
        let item = "i\(Int.random(in: 0..<12, using: &random))"
        return Bool.random(using: &random)
          ? .counted(.init(item: item, count: .random(in: 0..<100, using: &random)))
          : .soldOut(.init(item: item))
      }
      try await room.store.append(events, to: "stock")
    }
    try await room.count(["end": 1])
    try await reader.value
    let rows = try room.view.rows(RowQuery(Item.self))
    #expect(
      mirror.withLock { $0.values.sorted { $0.name < $1.name } } == rows.sorted { $0.name < $1.name },
      "seed \(seed)")
  }

  @Test(
    "a row that is put and removed again is told once per look, however much was changed between",
    .timeLimit(.minutes(1)))
  func once() async throws {
    let room = try StockRoom()
    try await room.count(["a": 0, "b": 0])
    let changes = room.view.changes(of: Item.self)
    try await room.count(["a": 1, "b": 1])
    // More than one page of the journal.
    try await room.note((0..<1_500).map { .counted(.init(item: "i\($0)", count: 1)) })
    try await room.count(["a": 2])
    try await room.note([.soldOut(.init(item: "b")), .counted(.init(item: "end", count: 1))])
    var told: [String] = []
    for try await change in changes {
      switch change {
      case .put(let item, _) where item.name == "a": told.append("a=\(item.count)")
      case .removed(let item, _) where item == RowIdentity("b"): told.append("b gone")
      case .reset: told.append("reset")
      default: break
      }
      if case .put(let item, _) = change, item.name == "end" { break }
    }
    #expect(told == ["a=2", "b gone"])
  }

  @Test("a sequence that nobody iterates keeps no file open")
  func unheld() async throws {
    let room = try StockRoom()
    try await room.count(["a": 1])
    let changes = room.view.changes(of: Item.self)
    try room.store.rebuild(Stock.self)
    // The old file goes although the sequence is kept.
    try await waitUntil { try room.store.log.views().map(\.number) == [2] }
    var iterator = changes.makeAsyncIterator()
    #expect(text(try await iterator.next()) == "reset")
  }

  @Test func `Single changes are noted only while somebody observes the projection in any process`()
    async throws
  {
    let room = try StockRoom()
    func noted() throws -> Int {
      let file = try #require(room.view.registered.served?.file)
      let transaction = try file.environment.beginRead()
      return try transaction.view.statistics(of: file.changes).entries
    }
    for number in 0..<5 { try await room.count(["a": number, "b": number]) }
    #expect(try noted() == 1)
    do {
      let changes = room.view.changes(of: Item.self)
      for number in 5..<8 { try await room.count(["a": number, "b": number]) }
      #expect(try noted() == 7)
      var iterator = changes.makeAsyncIterator()
      #expect(text(try await iterator.next()).hasPrefix("a=7@"))
    }
    try await room.count(["a": 9, "b": 9])
    #expect(try noted() == 1)
    // Another process: its lock is another open file.
    let directory = try #require(try room.view.registry.directory()?.directory)
    let mark = ObserverMark.take(Stock.name, in: directory, .readOnly)
    try await room.count(["a": 10, "b": 10])
    #expect(try noted() == 3)
    _ = try #require(mark)
  }

  @Test func `An observer that comes during a batch which was noted as a whole reads the rows again`()
    async throws
  {
    let room = try StockRoom()
    try await room.count(["a": 1])
    let changes = room.view.changes(of: Item.self)
    let file = try #require(room.view.registered.served?.file)
    do {
      var transaction = try file.environment.beginWrite(durability: .relaxed)
      let staging = RowStaging(try ProjectionOutline(Stock.self), Stock.tables)
      do {
        var rows = ProjectionRows(staging, file.source(transaction.view))
        try rows.put(Item(name: "b", count: 2))
      }
      try ChangeJournal.note(staging, at: 2, in: file.changes, isObserved: false, &transaction)
      try transaction.commit()
    }
    var iterator = changes.makeAsyncIterator()
    #expect(text(try await iterator.next()) == "reset")
  }

  @Test("who is too far behind is told to begin anew, and costs nobody memory")
  func fallingOff() async throws {
    let room = try StockRoom()
    try await room.count(["a": 0])
    var iterator = room.view.changes(of: Item.self).makeAsyncIterator()
    for batch in 0..<6 {
      try await room.note((0..<2_000).map { .counted(.init(item: "i\(batch)-\($0)", count: 1)) })
    }
    let file = try #require(room.view.registered.served?.file)
    let (first, last) = try file.read { (view) throws(AnnalsError) in
      try ChangeJournal.ends(of: file.changes, view)
    }
    #expect(last >= 12_000 && last - first < ChangeJournal.limit)
    #expect(text(try await iterator.next()) == "reset")
    try await room.count(["b": 1])
    #expect(text(try await iterator.next()).hasPrefix("b=1@"))
  }

  @Test("while a view is built nothing is told, and when the new file serves everybody begins anew")
  func rebuilding() async throws {
    let room = try StockRoom()
    try await room.note((0..<500).map { .counted(.init(item: "i\($0)", count: 1)) })
    let before = try #require(room.view.registered.served?.file.number)
    var iterator = room.view.changes(of: Item.self).makeAsyncIterator()
    try room.store.rebuild(Stock.self)
    #expect(text(try await iterator.next()) == "reset")
    let file = try #require(room.view.registered.served?.file)
    #expect(file.number != before)
    let ends = try file.read { (view) throws(AnnalsError) in try ChangeJournal.ends(of: file.changes, view) }
    #expect(ends.first == 1 && ends.last == 0)
    try await room.count(["a": 1])
    #expect(text(try await iterator.next()) == "a=1@501")
  }

  @Test("the journal is bounded, and one batch that changes more than it holds leaves one mark")
  func journal() throws {
    let file = try LibraryFile()
    let place = try TemporaryDirectory()
    let directory = try Directory.open(path: place.url.path)
    let locks = EnvironmentLocks(
      open: try FileLock("open", in: directory), queue: try FileLock("queue", in: directory),
      write: try FileLock("write", in: directory))
    let environment = try Environment.open(
      "changes.mdb", in: directory, tables: [TableDefinition("changes", integerKeys: true)], locks: locks,
      options: EnvironmentOptions(create: true))
    let table = environment.table("changes")
    func note(_ numbers: Range<Int>, at position: Position) throws {
      try file.change { rows in
        let staged = RowStaging(file.outline, Library.tables)
        var room = ProjectionRows(staged, rows.source)
        for number in numbers { try room.put(Library.Shelf(name: "s\(number)", books: 1)) }
        var transaction = try environment.beginWrite(durability: .none)
        try ChangeJournal.note(staged, at: position, in: table, isObserved: true, &transaction)
        try transaction.commit()
      }
    }
    func read(after seen: UInt64) throws -> [ChangeJournal.Change]? {
      let transaction = try environment.beginRead()
      return try ChangeJournal.changes(after: seen, in: table, transaction.view, of: "journal")
    }
    #expect(try read(after: 0) == [])
    try note(0..<3, at: 7)
    #expect(try read(after: 0)?.map(\.number) == [1, 2, 3])
    #expect(try read(after: 1)?.map(\.position) == [7, 7])
    #expect(try read(after: 4) == nil)
    try note(3..<10_000, at: 8)
    #expect(try read(after: 0)?.count == ChangeJournal.page)
    try note(10_000..<10_001, at: 9)
    #expect(try read(after: 0) == nil)
    #expect(try read(after: 1)?.first?.number == 2)
    try note(0..<10_001, at: 10)
    #expect(try read(after: 10_001) == nil)
    #expect(try read(after: 10_002) == [])
    try note(0..<1, at: 11)
    #expect(try read(after: 10_002)?.map(\.kind) == [.put])
  }

  @Test("a result is given now and whenever it has changed, and only then")
  func results() async throws {
    let room = try StockRoom()
    try await room.count(["a1": 1, "b1": 1])
    let results = room.view.results(RowQuery(Item.self, .prefix("a")))
    var iterator = results.makeAsyncIterator()
    #expect(try await iterator.next()?.map(\.name) == ["a1"])
    // Neither of these changes it.
    try await room.count(["b2": 2])
    try await room.count(["a1": 1])
    try await room.count(["a2": 2])
    #expect(try await iterator.next()?.map(\.name) == ["a1", "a2"])
    // Of many only the newest.
    for number in 0..<30 { try await room.count(["a3": number]) }
    #expect(try await iterator.next()?.last?.count == 29)
    // By a secondary key: the row is found under another one by now.
    var many = room.view.results(RowQuery(Item.byCount, .from(10)).limit(5)).makeAsyncIterator()
    #expect(try await many.next()?.map(\.name) == ["a3"])
    try await room.count(["a3": 0])
    #expect(try await many.next()?.isEmpty == true)
  }

  @Test("a result of a view that is being built is waited for, and a cancelled task ends it")
  func waiting() async throws {
    let room = try StockRoom()
    var iterator = room.view.results(RowQuery(Item.self)).makeAsyncIterator()
    #expect(try await iterator.next()?.isEmpty == true)
    let begun = Signal()
    let known = begun.count
    let reader = Task { [room] in
      var count = 0
      for try await _ in room.view.results(RowQuery(Item.self)) {
        count += 1
        begun.announce()
      }
      for try await _ in room.view.changes(of: Item.self) { count += 1 }
      return count
    }
    await begun.wait(beyond: known, upTo: .seconds(30))
    reader.cancel()
    #expect(try await reader.value == 1)
  }

  @Test("those who observe a view that is removed are told so, and keep none of its files")
  func removal() async throws {
    let room = try StockRoom()
    try await room.count(["a": 1])
    let begun = Signal()
    let known = begun.count
    let results = Task { [room] () -> AnnalsError.Code? in
      do throws(AnnalsError) {
        for try await _ in room.view.results(RowQuery(Item.self)) { begun.announce() }
      } catch {
        return error.code
      }
      return nil
    }
    let changes = Task { [room] () -> AnnalsError.Code? in
      do throws(AnnalsError) {
        for try await _ in room.view.changes(of: Item.self) {}
      } catch {
        return error.code
      }
      return nil
    }
    await begun.wait(beyond: known, upTo: .seconds(30))
    try await waitUntil {
      // Threads that get no processor keep files.
      do { try room.store.remove(view: "stock") } catch let error as AnnalsError where error.code == .busy {
        return false
      }
      return true
    }
    #expect(await results.value == .busy)
    #expect(await changes.value == .busy)
    guard case .stopped(let error) = try room.view.status().state else {
      Issue.record("the view goes on")
      return
    }
    #expect(error.code == .busy && error.message.contains("removed"))
    let again = try room.store.view(Stock.self)
    try await again.waitUntil(1)
    #expect(try again.rows(RowQuery(Item.self)).map(\.name) == ["a"])
  }

  @Test("a type that is no table of the projection is told to who iterates")
  func wrongType() async throws {
    let room = try StockRoom()
    try await room.count(["a": 1])
    let error = await #expect(throws: AnnalsError.self) {
      for try await _ in room.view.results(RowQuery(Library.Shelf.self)) { break }
    }
    #expect(error?.code == .wrongUse)
  }

  @Test("a change is told without the wait for a look at the file", .timeLimit(.minutes(5)))
  func latency() async throws {
    let room = try StockRoom()
    try await room.count(["a": 0])
    let changes = room.view.changes(of: Item.self)
    let clock = ContinuousClock()
    let reader = Task {
      var times: [ContinuousClock.Instant] = []
      for try await _ in changes {
        times.append(clock.now)
        if times.count == 40 { break }
      }
      return times
    }
    var begun: [ContinuousClock.Instant] = []
    var costs: [Duration] = []
    for number in 1...40 {
      try await Task.sleep(for: .milliseconds(5))
      let start = clock.now
      // Of one row several changes may be told as one.
      try await room.store.append([.counted(.init(item: "a\(number)", count: number))], to: "stock")
      begun.append(clock.now)
      costs.append(clock.now - start)
      try await room.view.waitUntil(Position(UInt64(number) + 1))
    }
    let latencies = zip(begun, try await reader.value).map { $1 - $0 }.sorted()
    costs.sort()
    // Who looks does so every half second. A change is told behind the view's own commit, which takes its time on a slow disk.
    #expect(latencies[20] < .milliseconds(250) + costs[20] * 4, "\(latencies[20]), \(costs[20])")
  }

  @Test("a live query has the newest rows and tells those who look at it")
  @MainActor func liveQuery() async throws {
    let room = try StockRoom()
    try await room.count(["a": 1])
    weak var released: LiveQuery<Item>?
    do {
      let query = LiveQuery(RowQuery(Item.self), in: room.view)
      released = query
      #expect(query.isLoading && query.rows.isEmpty)
      try await waitUntil { !query.isLoading }
      #expect(query.rows.map(\.name) == ["a"])
      let told = Mutex(false)
      withObservationTracking {
        _ = query.rows
      } onChange: {
        told.withLock { $0 = true }
      }
      try await room.count(["b": 2])
      try await waitUntil { query.rows.count == 2 }
      #expect(told.withLock { $0 })
      #expect(query.error == nil)
      let wrong = LiveQuery(RowQuery(Library.Shelf.self), in: room.view)
      try await waitUntil { !wrong.isLoading }
      #expect(wrong.error?.code == .wrongUse)
    }
    try await waitUntil { released == nil }
  }
}
