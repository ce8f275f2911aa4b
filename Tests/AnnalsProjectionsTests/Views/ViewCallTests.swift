import Synchronization
import Testing

@testable import Annals
@testable import AnnalsProjections

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a view shows while it folds append calls of many events.
struct ViewCallTests {
  /// Keeps the positions at which batches ended.
  final class Batches: StoreObserver {
    private let ends = Mutex<[UInt64]>([])

    var positions: [UInt64] { ends.withLock { $0 } }

    func followed(_ activity: ViewActivity) {
      ends.withLock { $0.append(activity.position.rawValue) }
    }
  }

  /// How often each word was said. Other views take all memory for rows while it folds the 50th entry.
  enum Crowded: Projection {
    typealias Event = Tallies.Event
    static let name = "crowded"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Tallies.Counts.Word.self)] }
    static let taken = Mutex(0)

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      if entry.position == 50 {
        taken.withLock { taken in
          guard taken == 0 else { return }
          taken = 64 << 20
          ViewMemory.rows.add(taken)
        }
      }
      try Tallies.Counts.apply(entry, to: &rows)
    }

    static func giveBack() {
      taken.withLock { taken in
        ViewMemory.rows.release(taken)
        taken = 0
      }
    }
  }

  private static func said(_ count: Int, _ word: (Int) -> String) -> [Tallies.Event] {
    (0..<count).map { .said(.init(word: word($0), times: 1)) }
  }

  @Test(arguments: [(4_096, 64 << 20), (16, 64 << 20), (16, 1 << 20)])
  func `batches end where append calls end, however long a call is`(entries: Int, memory: Int) async throws {
    let tallied = try TalliedStore()
    let batches = Batches()
    var options = StoreOptions.relaxedCommits
    options.observer = batches
    options.viewPace.entries = entries
    options.viewPace.live = .zero
    options.viewMemory = memory
    let store = try tallied.open(options)
    let view = try store.view(Tallies.Counts.self)
    var random = SeededGenerator(seed: RunLength.seed)
    let first = try await store.append(Self.said(1) { _ in "a" }, to: "s", waitingFor: view)
    var last = try #require(first.position).rawValue
    let known = batches.positions.count
    var ends: Set<UInt64> = [last]
    // The rows of some calls are larger than the smallest memory.
    for size in [1, 15, 16, 17, 40, 3_000, 2] {
      let events = Self.said(size) { "\(last + UInt64($0)) " + String(repeating: "x", count: 400) }
      last = try #require(try await store.append(events, to: "s").position).rawValue
      ends.insert(last)
      if Bool.random(using: &random) { try await view.waitUntil(Position(last), timeout: .seconds(60)) }
    }
    try await view.waitUntil(Position(last), timeout: .seconds(60))
    let positions = batches.positions.dropFirst(known)
    #expect(!positions.isEmpty && positions.allSatisfy { ends.contains($0) }, "seed \(RunLength.seed)")
    #expect(try view.count(RowQuery(Tallies.Counts.Word.self)) == Int(last))
  }

  @Test(arguments: [false, true])
  func `no event is folded twice if memory runs short within a page`(isBuilt: Bool) async throws {
    let tallied = try TalliedStore()
    var options = StoreOptions.relaxedCommits
    options.viewMemory = 1 << 20
    let store = try tallied.open(options)
    let events = Self.said(100) { "\($0)" }
    if isBuilt { try await store.append(events, to: "s") }
    let view = try store.view(Crowded.self)
    defer { Crowded.giveBack() }
    if !isBuilt {
      try await view.waitUntilBuilt()
      try await store.append(events, to: "s")
    }
    while Crowded.taken.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
    // A fold without memory waits up to a second for each further event.
    try await Task.sleep(for: .milliseconds(1_500))
    Crowded.giveBack()
    try await view.waitUntil(100, timeout: .seconds(60))
    let rows = try view.rows(RowQuery(Tallies.Counts.Word.self))
    #expect(rows.count == 100 && rows.allSatisfy { $0.times == 1 })
  }

  @Test func `a result of a live query has all events of a call or none`() async throws {
    let tallied = try TalliedStore()
    var options = StoreOptions.relaxedCommits
    options.viewPace.entries = 16
    options.viewPace.live = .zero
    let store = try tallied.open(options)
    let view = try store.view(Tallies.Counts.self)
    try await store.append(Self.said(1_000) { _ in "a" }, to: "s", waitingFor: view)
    let results = Task {
      var sums: [Int] = []
      for try await rows in view.results(RowQuery(Tallies.Counts.Word.self)) {
        sums.append(rows.reduce(0) { $0 + $1.times })
        if sums.last == 4_000 { break }
      }
      return sums
    }
    for _ in 0..<3 {
      try await store.append(Self.said(1_000) { $0 % 2 == 0 ? "a" : "b" }, to: "s", waitingFor: view)
    }
    #expect(try await results.value.allSatisfy { $0 % 1_000 == 0 })
  }
}
