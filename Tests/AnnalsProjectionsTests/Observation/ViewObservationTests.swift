import Foundation
import LMDB
import Observation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// The changes that observers of a view receive.
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

  @Test("changes are reported in their order, only those of the range, and from the moment of the request")
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

  @Test("only the latest state of a row that has changed several times is reported")
  func conflation() async throws {
    let room = try StockRoom()
    try await room.count(["a": 0])
    let changes = room.view.changes(of: Item.self)
    for number in 1...20 { try await room.count(["a": number, "b": -number]) }
    var iterator = changes.makeAsyncIterator()
    let told = [text(try await iterator.next()), text(try await iterator.next())]
    #expect(told == ["a=20@41", "b=-20@41"])
  }

  @Test("rows kept by the reported changes are those of the view", arguments: 1...3 as ClosedRange<UInt64>)
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
    "a row that is put and removed again is reported once per look, regardless of changes between",
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

  @Test("a sequence without a reader keeps no file open")
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
    // Another process: its marks are in another open file.
    let directory = try #require(try room.view.registry.directory()?.directory)
    let marks = try #require(ObserverLock.marks(in: directory, .readOnly))
    let mark = ObserverMark(Stock.name, in: marks, observer: 0)
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

  @Test("an observer that is too far behind gets a reset, and costs no memory")
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

  @Test("nothing is reported while a view is built, and when the new file serves every observer begins again")
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
}
