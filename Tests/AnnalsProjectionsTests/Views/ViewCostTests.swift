import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// What views that are slow, and options for their memory, do to the others.
struct ViewCostTests {
  protocol Numeral: Sendable { static var number: Int { get } }
  enum Zero: Numeral { static var number: Int { 0 } }
  enum Next<N: Numeral>: Numeral { static var number: Int { N.number + 1 } }

  /// Whether the views do not go on, and how many of them wait.
  static let isHeld = Atomic(true)
  static let waiting = Atomic(0)

  /// Its `apply` does not return while views are held.
  enum Held<N: Numeral>: Projection {
    typealias Event = Tallies.Event
    static var name: String { "held-\(N.number)" }
    static var version: Int { 1 }
    static var tables: [ProjectionTable] { Tallies.Counts.tables }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      if ViewCostTests.isHeld.load(ordering: .acquiring) {
        ViewCostTests.waiting.add(1, ordering: .acquiringAndReleasing)
        while ViewCostTests.isHeld.load(ordering: .acquiring) { WriterThread.pause(milliseconds: 1) }
      }
      try Tallies.Counts.apply(entry, to: &rows)
    }
  }

  @Test func `Five views whose apply does not return keep no other from following`() async throws {
    var random = SeededGenerator(seed: 47)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    defer { Self.isHeld.store(false, ordering: .releasing) }
    try await tallied.append(20, to: store, &random)
    let held = (
      try store.view(Held<Zero>.self), try store.view(Held<Next<Zero>>.self),
      try store.view(Held<Next<Next<Zero>>>.self), try store.view(Held<Next<Next<Next<Zero>>>>.self),
      try store.view(Held<Next<Next<Next<Next<Zero>>>>>.self)
    )
    try await waitUntil { Self.waiting.load(ordering: .acquiring) == 5 }
    // Opened when all five wait, so that each needs the thread that is left.
    let (counts, pauses) = (try store.view(Tallies.Counts.self), try store.view(Tallies.Pauses.self))
    for _ in 0..<4 {
      try await tallied.append(50, to: store, &random)
      try await counts.waiting(for: tallied.last)
      try await pauses.waiting(for: tallied.last)
    }
    #expect(try counts.read { try $0.all() } == tallied.counts())
    #expect(Self.waiting.load(ordering: .acquiring) == 5)
    Self.isHeld.store(false, ordering: .releasing)
    try await held.0.waiting(for: tallied.last)
    try await held.4.waiting(for: tallied.last)
    let rows = try held.4.rows(RowQuery(Tallies.Counts.Word.self))
    #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0.word, $0) }) == tallied.counts())
  }

  @Test func `Too little memory for views is refused when one is opened`() throws {
    let tallied = try TalliedStore()
    var options = StoreOptions()
    #expect(options.viewMemory == 64 << 20)
    options.viewMemory = (1 << 20) - 1
    let store = try tallied.open(options)
    let error = #expect(throws: AnnalsError.self) { _ = try store.view(Tallies.Counts.self) }
    #expect(error?.code == .wrongUse)
    #expect(error?.message.contains("1048575") == true && error?.message.contains("1048576") == true)
    withExtendedLifetime(tallied) {}
  }

  @Test func `Rows are measured before they can outgrow the reserved space`() throws {
    var options = StoreOptions()
    options.viewMemory = 4 << 30
    let budget = try ViewBudget(options)
    var rows = RowReservation(budget)
    defer { rows.end() }
    var random = SeededGenerator(seed: 48)
    // Events that add about as much as those before, and some that add much more.
    for growth in [10, 1_000, 100_000, 100] {
      var size = rows.bytes == 0 ? 0 : rows.bytes - budget.step
      _ = rows.cover(size)
      for _ in 0..<500 {
        size += Int.random(in: growth / 2...growth, using: &random)
        if rows.isDue() { _ = rows.cover(size) }
        #expect(size <= rows.bytes, "growth \(growth)")
      }
    }
  }
}
