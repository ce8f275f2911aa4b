import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

/// The tables of an earlier version that rules name, and those that they do not.
struct RowUpcastTableTests {
  /// Words, and the lengths of them.
  enum First: Projection {
    @Record("Word") struct Word: ProjectionRow {
      var word: String
      var times: Int
      var key: String { word }
    }
    @Record("Length") struct Length: ProjectionRow {
      var length: Int
      var key: Int { length }
    }
    typealias Event = Tallies.Event
    static let name = "words"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Word.self), .rows(Length.self)] }
    static var events: EventQuery<Event> { [\.said] }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .said(let said) = entry.event else { return }
      try rows.put(Word(word: said.word, times: said.times))
      try rows.put(Length(length: said.word.utf8.count))
    }
  }

  /// The second table has a new field, and no rule names it.
  enum Grown: Projection {
    @Record("Length") struct Length: ProjectionRow {
      var length: Int
      var word: String?
      var key: Int { length }
    }
    typealias Event = Tallies.Event
    static let name = "words"
    static let version = 2
    static var tables: [ProjectionTable] { [.rows(First.Word.self), .rows(Length.self)] }
    static var events: EventQuery<Event> { [\.said] }
    static var upcasts: [RowUpcast] { [RowUpcast(from: 1, First.Word.self) { [$0] }] }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .said(let said) = entry.event else { return }
      try rows.put(First.Word(word: said.word, times: said.times))
      try rows.put(Length(length: said.word.utf8.count, word: said.word))
    }
  }

  /// Two rules name the first table. The second one puts rows into the other table, which is kept as well.
  enum Split: Projection {
    typealias Event = Tallies.Event
    static let name = "words"
    static let version = 3
    static var tables: [ProjectionTable] { First.tables }
    static var events: EventQuery<Event> { [\.said] }
    static var upcasts: [RowUpcast] {
      [
        RowUpcast(from: 1, First.Word.self) { [First.Word(word: $0.word, times: -$0.times)] },
        RowUpcast(from: 1, First.Word.self) { [First.Length(length: 1_000 + $0.times)] },
      ]
    }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      try First.apply(entry, to: &rows)
    }
  }

  /// A rule names a table that the first version does not have.
  enum Misnamed: Projection {
    @Record("Term") struct Term: ProjectionRow {
      var word: String
      var times: Int
      var key: String { word }
    }
    typealias Event = Tallies.Event
    static let name = "words"
    static let version = 4
    static var tables: [ProjectionTable] { First.tables }
    static var events: EventQuery<Event> { [\.said] }
    static var upcasts: [RowUpcast] {
      [
        RowUpcast(from: 1, Term.self) { [First.Word(word: $0.word, times: -$0.times)] },
        RowUpcast(from: 1, First.Length.self) { [First.Length(length: $0.length + 1_000)] },
      ]
    }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      try First.apply(entry, to: &rows)
    }
  }

  /// A store whose view has the rows of ``First``.
  private func folded() async throws -> TalliedStore {
    let tallied = try TalliedStore()
    let store = try tallied.open()
    for (word, times) in [("a", 1), ("bb", 2)] {
      try await store.append([.said(.init(word: word, times: times))], to: "s")
    }
    try await store.view(First.self).waitUntilCaughtUp()
    return tallied
  }

  // The store is verified last, which keeps its directory until then.
  @Test func `the log is read if a table that no rule names has another shape`() async throws {
    let tallied = try await folded()
    let view = try tallied.open().view(Grown.self)
    try await view.waitUntilCaughtUp()
    #expect(try view.rows(RowQuery(Grown.Length.self)).map(\.word) == ["a", "bb"])
    #expect(try EventLog.verify(tallied.url).isClean)
  }

  @Test func `every rule that names a table gets its rows, and the other tables are kept`() async throws {
    let tallied = try await folded()
    let view = try tallied.open().view(Split.self)
    try await view.waitUntilCaughtUp()
    #expect(try view.rows(RowQuery(First.Word.self)).map(\.times) == [-1, -2])
    #expect(try view.rows(RowQuery(First.Length.self)).map(\.length) == [1, 2, 1_001, 1_002])
    #expect(try EventLog.verify(tallied.url).isClean)
  }

  @Test func `the log is read if a rule names a table that the earlier version lacks`() async throws {
    let tallied = try await folded()
    let view = try tallied.open().view(Misnamed.self)
    try await view.waitUntilCaughtUp()
    #expect(try view.rows(RowQuery(First.Word.self)).map(\.times) == [1, 2])
    #expect(try view.rows(RowQuery(First.Length.self)).map(\.length) == [1, 2])
    #expect(try EventLog.verify(tallied.url).isClean)
  }
}
