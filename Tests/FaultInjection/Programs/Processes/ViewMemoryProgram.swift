import Annals
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A row of eight kibibytes for each walker, as one of many views.
enum Wide<N: Numeral>: Projection {
  @Record struct Page: ProjectionRow, Equatable {
    var who: String
    var text: String
    var key: String { who }

    init(who: String, letter: Int) {
      self.who = who
      text = String(repeating: String(letter), count: 8_192)
    }
  }
  typealias Event = ClubV1.Event
  static var name: String { "wide-\(N.number)" }
  static var version: Int { 1 }
  static var tables: [ProjectionTable] { [.rows(Page.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    ViewMemoryProgram.note()
    guard case .walked(let walked) = entry.event else { return }
    try rows.put(Page(who: walked.who, letter: walked.metres / ViewMemoryProgram.walkers))
  }
}

/// Builds many views whose rows exceed their memory many times, and prints the memory they reserve.
struct ViewMemoryProgram {
  private static let peak = Atomic(0)
  static let walkers = 2_000

  let url: URL
  let limit: Int

  /// Notes the memory that views have reserved.
  static func note() { peak.max(ViewMemory.reserved, ordering: .relaxed) }

  /// Prints one number a line: the most bytes reserved, the bytes reserved while the views are idle, the
  /// growth of anonymous memory then in KiB, and the rows of all views.
  func run(views: Int) async throws {
    var options = StoreOptions()
    options.viewMemory = limit
    let store = try EventStore(at: url, plan: Club.self, options: options)
    for start in stride(from: 0, to: Self.walkers * 2, by: 500) {
      let events = (start..<(start + 500)).map { number in
        ClubV1.Event.walked(.init(who: "w\(number % Self.walkers)", metres: number))
      }
      _ = try await store.append(events, to: "walks")
    }
    let memory = try ManyViews.Use().memory
    var counts: [() throws -> Int] = []
    try await build(Zero.self, store, views, &counts)
    let end = ContinuousClock.now + .seconds(60)
    while try ViewMemory.reserved > 0 || ManyViews.Use().memory - memory > limit / 2 / 1024,
      ContinuousClock.now < end
    {
      try await Task.sleep(for: .milliseconds(50))
    }
    print(Self.peak.load(ordering: .relaxed))
    print(ViewMemory.reserved)
    print(try ManyViews.Use().memory - memory)
    print(try counts.reduce(0) { $0 + (try $1()) })
    withExtendedLifetime(store) {}
  }

  /// Opens views, so that they are built at one time, and waits for them.
  private func build<N: Numeral>(
    _ numeral: N.Type, _ store: EventStore<Club>, _ left: Int, _ counts: inout [() throws -> Int]
  ) async throws {
    if left == 0 { return }
    let view = try store.view(Wide<N>.self)
    counts.append {
      var count = 0
      for number in 0..<Self.walkers {
        let row = try view.read { (snapshot) throws(AnnalsError) in
          try snapshot.get(Wide<N>.Page.self, "w\(number)")
        }
        // As of the walker's second event.
        if row == Wide<N>.Page(who: "w\(number)", letter: 1) { count += 1 }
      }
      return count
    }
    try await build(Next<N>.self, store, left - 1, &counts)
    try await view.waitUntil(Position(UInt64(Self.walkers * 2)), timeout: .seconds(300))
  }
}
