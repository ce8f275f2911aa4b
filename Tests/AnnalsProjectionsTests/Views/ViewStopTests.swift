import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsSchema
@testable import AnnalsShapes
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Views that stop, are removed while they follow, or have nothing to take from what comes.
struct ViewStopTests {
  private static func stored(_ view: View<Tallies.Pauses>) throws -> UInt64 {
    let file = try #require(view.registered.served?.file)
    return try file.read { (view) throws(AnnalsError) in try file.checkpoint(view) }?.position.rawValue ?? 0
  }

  @Test(
    "the position of a view is stored while it skips all entries, and a rebuild takes over")
  func passedOver() async throws {
    let tallied = try TalliedStore()
    let store = try tallied.open(.relaxedCommits)
    let first = try await store.append([NewEvent(.silence(.init(seconds: 1)))], to: "s").positions[0]
    let view = try store.view(Tallies.Pauses.self)
    try await view.waitUntil(first)
    /// Appends without a rest, thirty seconds at most.
    func append(until isSo: () throws -> Bool) async throws {
      let end = ContinuousClock.now + .seconds(30)
      while try !isSo() {
        try #require(ContinuousClock.now < end, "it did not become so")
        try await store.append([NewEvent(.said(.init(word: "w", times: 1)))], to: "s")
      }
    }
    var known = try Self.stored(view)
    for _ in 0..<3 {
      try await append { try Self.stored(view) > known }
      known = try Self.stored(view)
    }
    let before = view.registered.served?.file.number
    try store.rebuild(Tallies.Pauses.self)
    try await append { view.registered.served?.file.number != before }
  }

  /// Keeps how often each word was said, in a number that has no encoding above 99.
  enum Narrow: Projection {
    struct Small: StoredValue {
      var number: Int

      static func shape(in types: inout ShapeTypes) -> ValueShape { Int.shape(in: &types) }
      init(number: Int) { self.number = number }
      init(from reader: inout FieldReader) throws(CodingFailure) { number = try Int(from: &reader) }
      func encode(into writer: inout FieldWriter) throws(CodingFailure) {
        guard number < 100 else { throw CodingFailure(.refused, at: writer.offset) }
        try number.encode(into: &writer)
      }
    }
    @Record struct Kept: ProjectionRow {
      var word: String
      var value: Small
      var key: String { word }
    }
    typealias Event = Tallies.Event
    static let name = "narrow"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Kept.self)] }
    static var events: EventQuery<Event> { [\.said] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .said(let said) = entry.event else { return }
      try rows.put(Kept(word: said.word, value: Small(number: said.times)))
    }
  }

  @Test func `A row that cannot be encoded stops the view before the entry that put it`() async throws {
    let tallied = try TalliedStore()
    let store = try tallied.open()
    func said(_ word: String, _ times: Int) -> NewEvent<Tallies.Event> {
      NewEvent(.said(.init(word: word, times: times)))
    }
    // One batch: the third entry puts the row, the fifth changes it and leaves it as it is.
    try await store.append(
      [said("a", 1), said("b", 1), said("deep", 100), said("c", 1), said("deep", 101), said("d", 1)], to: "s")
    let view = try store.view(Narrow.self)
    try await waitUntil {
      guard case .stopped = try view.status().state else { return false }
      return true
    }
    guard case .stopped(let error) = try view.status().state else { return }
    #expect(error.code == .ruleFailed && error.details.position == 3, "\(error)")
    #expect(error.message.contains("position 3") && error.message.contains("Kept"))
    #expect(try view.status().position == 2 || view.status().progress?.done == 2)
  }

  /// Counts words, and refuses the second entry.
  enum Stuck: Projection {
    typealias Event = Tallies.Event
    static let name = "stuck"
    static let version = 1
    static var tables: [ProjectionTable] { Tallies.Counts.tables }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      if entry.position >= 2 { throw Tallies.Refused() }
      try Tallies.Counts.apply(entry, to: &rows)
    }
  }

  @Test func `A read of several views fails with the error of the one that has stopped and lags`()
    async throws
  {
    let tallied = try TalliedStore()
    let store = try tallied.open()
    let stuck = try store.view(Stuck.self)
    let counts = try store.view(Tallies.Counts.self)
    let pauses = try store.view(Tallies.Pauses.self)
    let said = NewEvent<Tallies.Event>(.said(.init(word: "w", times: 1)))
    let first = try await store.append([said], to: "s").positions[0]
    try await stuck.waitUntil(first)
    let last = try await store.append([said, said], to: "s").positions[1]
    try await counts.waitUntil(last)
    try await pauses.waitUntil(last)
    try await waitUntil {
      guard case .stopped = try stuck.status().state else { return false }
      return true
    }
    for _ in 0..<2 {
      let two = #expect(throws: AnnalsError.self) { try store.read(counts, stuck) { (_, _) in } }
      #expect(two?.code == .ruleFailed && two?.details.position == 2)
      let turned = #expect(throws: AnnalsError.self) { try store.read(stuck, counts) { (_, _) in } }
      #expect(turned?.code == .ruleFailed)
      let three = #expect(throws: AnnalsError.self) {
        try store.read(pauses, stuck, counts) { (_, _, _) in }
      }
      #expect(three?.code == .ruleFailed)
    }
    // The others still meet.
    let position = try store.read(counts, pauses) { (counts, _) throws(AnnalsError) in try counts.position() }
    #expect(position == last)
  }

  @Test("a view that follows is removed, and rebuilt when it is opened again")
  func removal() async throws {
    var random = SeededGenerator(seed: 52)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    for _ in 0..<5 {
      try await tallied.append(60, to: store, &random)
      let (counts, pauses) = (try store.view(Tallies.Counts.self), try store.view(Tallies.Pauses.self))
      try await counts.waitUntil(tallied.last)
      try await waitUntil {
        // Threads of the view that get no processor keep its file.
        do { try store.remove(view: "counts") } catch let error as AnnalsError where error.code == .busy {
          return false
        }
        return true
      }
      #expect(try store.log.views().map(\.name) == ["pauses"])
      let gone = #expect(throws: AnnalsError.self) { _ = try counts.read { try $0.position() } }
      #expect(gone?.code == .busy)
      // The other one, which shared the way through the log, goes on.
      try await tallied.append(10, to: store, &random)
      try await pauses.waitUntil(tallied.last)
      let again = try store.view(Tallies.Counts.self)
      try await again.waitUntil(tallied.last)
      #expect(try again.read { try $0.all() } == tallied.counts())
    }
  }

  @Test("observers of a view get the error that has stopped it", .timeLimit(.minutes(1)))
  func observers() async throws {
    var random = SeededGenerator(seed: 53)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(30, to: store, &random)
    let view = try store.view(Tallies.Counts.self)
    try await view.waitUntil(tallied.last)
    var changes = view.changes(of: Tallies.Counts.Word.self).makeAsyncIterator()
    var results = view.results(RowQuery(Tallies.Counts.Word.self)).makeAsyncIterator()
    #expect(try await results.next()?.isEmpty == false)
    try await store.append([NewEvent(.said(.init(word: "bad", times: -1)))], to: "s0")
    do throws(AnnalsError) {
      _ = try await changes.next()
      Issue.record("nothing was told")
    } catch {
      #expect(error.code == .ruleFailed)
    }
    do throws(AnnalsError) {
      _ = try await results.next()
      Issue.record("nothing was told")
    } catch {
      #expect(error.code == .ruleFailed)
    }
  }

  /// Takes a row that it cannot read for missing.
  enum Careless: Projection {
    typealias Event = Tallies.Event
    static let name = "careless"
    static let version = 1
    static var tables: [ProjectionTable] { Tallies.Counts.tables }
    static var events: EventQuery<Event> { [\.said] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .said(let said) = entry.event else { return }
      var row = Tallies.Counts.Word(word: said.word, times: 0, last: 0)
      do { row = try rows.get(Tallies.Counts.Word.self, said.word) ?? row } catch {}
      row.times += said.times
      try rows.put(row)
    }
  }

  @Test("a row that cannot be read is no missing one, regardless of the projection's handling of the error")
  func careless() async throws {
    var random = SeededGenerator(seed: 54)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(200, to: store, &random)
    let view = try store.view(Careless.self)
    try await view.waitUntil(tallied.last)
    let file = try #require(view.registered.served?.file)
    try ViewEngineTests.spoil("w1", in: file)
    try await tallied.append(400, to: store, &random)
    try await waitUntil { view.registered.served?.file.number == 2 }
    try await view.waitUntil(tallied.last)
    for (word, expected) in tallied.counts() {
      let row = try view.read { (snapshot) throws(AnnalsError) in
        try snapshot.get(Tallies.Counts.Word.self, word)
      }
      #expect(row?.times == expected.times)
    }
  }
}
