import Synchronization

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the tests of views count: words, and how often each was said.
enum Tallies {
  @Schema(1, 0, 0) enum V1 {
    @Record struct Said { var word: String; var times: Int }
    @Record struct Silence { var seconds: Int }
  }
  enum Plan: SchemaMigrationPlan {
    static var stages: MigrationChain<V1, V1> {}
  }
  typealias Event = V1.Event

  /// How often each word was said.
  enum Counts: Projection {
    @Record struct Word: ProjectionRow {
      var word: String
      var times: Int
      var last: Int

      var key: String { word }
      static let byTimes = SecondaryKey<Word, Int>("times") { $0.times }
      static var secondaryKeys: [any DeclaredKey<Word>] { [byTimes] }
    }
    typealias Event = V1.Event
    static let name = "counts"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Word.self)] }
    static var events: EventQuery<Event> { [\.said] }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .said(let said) = entry.event else { return }
      if said.times < 0 { throw Refused() }
      try rows.update(Word.self, said.word, initial: Word(word: said.word, times: 0, last: 0)) {
        $0.times += said.times
        $0.last = Int(entry.position.rawValue)
      }
    }
  }

  /// The same, under a raised version and with one more field.
  enum CountsV2: Projection {
    @Record struct Word: ProjectionRow {
      var word: String
      var times: Int
      var last: Int
      var first: Int?

      var key: String { word }
      static let byTimes = SecondaryKey<Word, Int>("times") { $0.times }
      static var secondaryKeys: [any DeclaredKey<Word>] { [byTimes] }
    }
    typealias Event = V1.Event
    static let name = "counts"
    static let version = 2
    static var tables: [ProjectionTable] { [.rows(Word.self)] }
    static var events: EventQuery<Event> { [\.said] }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .said(let said) = entry.event else { return }
      let position = Int(entry.position.rawValue)
      try rows.update(
        Word.self, said.word, initial: Word(word: said.word, times: 0, last: 0, first: position)
      ) {
        $0.times += said.times
        $0.last = position
      }
    }
  }

  /// How long everybody was silent, and another name.
  enum Pauses: Projection {
    @Record struct Pause: ProjectionRow {
      var stream: String
      var seconds: Int
      var key: String { stream }
    }
    typealias Event = V1.Event
    static let name = "pauses"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Pause.self)] }
    static var events: EventQuery<Event> { [\.silence] }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .silence(let silence) = entry.event else { return }
      let stream = entry.stream.text
      try rows.update(Pause.self, stream, initial: Pause(stream: stream, seconds: 0)) {
        $0.seconds += silence.seconds
      }
    }
  }

  /// Why a word is not counted.
  struct Refused: Error {}
}

/// A store for one test of views, and a plain fold of the appended events.
final class TalliedStore: Sendable {
  let temporary: TemporaryStore
  private let said = Mutex<[(stream: String, event: Tallies.Event)]>([])

  init() throws {
    temporary = try TemporaryStore()
  }

  var url: URL { temporary.url }

  func open(_ options: StoreOptions = .merging(every: 64)) throws -> EventStore<Tallies.Plan> {
    try EventStore(at: url, plan: Tallies.Plan.self, options: options)
  }

  /// Appends events drawn from a generator, in calls of any size.
  @discardableResult
  func append(
    _ count: Int, to store: EventStore<Tallies.Plan>, _ random: inout SeededGenerator
  ) async throws -> Position {
    var left = count
    var last = Position(0)
    while left > 0 {
      let size = min(left, Int.random(in: 1...50, using: &random))
      left -= size
      var events: [Tallies.Event] = []
      for _ in 0..<size {
        if Int.random(in: 0..<4, using: &random) == 0 {
          events.append(.silence(.init(seconds: Int.random(in: 1...9, using: &random))))
        } else {
          let word = "w\(Int.random(in: 0..<40, using: &random))"
          events.append(.said(.init(word: word, times: Int.random(in: 1...3, using: &random))))
        }
      }
      let stream = "s\(Int.random(in: 0..<5, using: &random))"
      let done = try await store.append(events.map { NewEvent($0) }, to: StreamName(stream))
      said.withLock { $0 += events.map { (stream, $0) } }
      last = done.positions.last ?? last
    }
    return last
  }

  /// What the rows of ``Tallies/Counts`` must be, from the events up to a position.
  func counts(upTo position: Position? = nil) -> [String: Tallies.Counts.Word] {
    var words: [String: Tallies.Counts.Word] = [:]
    for (index, (_, event)) in said.withLock({ $0 }).enumerated() {
      if let position, index >= Int(position.rawValue) { break }
      guard case .said(let said) = event else { continue }
      words[said.word, default: .init(word: said.word, times: 0, last: 0)].times += said.times
      words[said.word]?.last = index + 1
    }
    return words
  }

  /// What the rows of ``Tallies/Pauses`` must be.
  func pauses() -> [String: Int] {
    var pauses: [String: Int] = [:]
    for (stream, event) in said.withLock({ $0 }) {
      guard case .silence(let silence) = event else { continue }
      pauses[stream, default: 0] += silence.seconds
    }
    return pauses
  }

  var last: Position { Position(UInt64(said.withLock { $0.count })) }
}

extension View {
  /// Waits with a long timeout, because threads and disks may be slow.
  func waiting(for position: Position) async throws(AnnalsError) {
    try await waitUntil(position, timeout: .seconds(60))
  }
}

extension ViewSnapshot where P == Tallies.Counts {
  /// The rows of every word that there can be.
  func all() throws -> [String: Tallies.Counts.Word] {
    var words: [String: Tallies.Counts.Word] = [:]
    for number in 0..<40 {
      if let row = try get(Tallies.Counts.Word.self, "w\(number)") { words[row.word] = row }
    }
    return words
  }
}

extension Tallies.Counts.Word: Equatable {
  static func == (left: Self, right: Self) -> Bool {
    left.word == right.word && left.times == right.times && left.last == right.last
  }
}
