import Foundation
import Testing

@testable import Annals
@testable import AnnalsProjections

/// Random queries of stored rows with staged ones above them, compared with loops over an array.
struct RowQueryModelTests {
  typealias Book = Library.Book
  typealias Found = LibraryModel.Found

  /// A query, and the same as a condition.
  struct Case: CustomStringConvertible {
    var description: String
    var query: RowQuery<Book>
    let index: LibraryModel.Index
    var holds: (Found) -> Bool

    func expected(_ model: LibraryModel) -> [Found] {
      Array(model.all(by: index, descending: query.isDescending).filter(holds).prefix(query.most))
    }
  }

  static func book(_ generator: inout SeededGenerator) -> Book {
    let shelves = ["", "a", "a\0", "ab", "é", "e\u{301}", "z"]
    return Book(
      shelf: shelves[Int.random(in: 0..<shelves.count, using: &generator)],
      number: .random(in: -3...3, using: &generator),
      title: RowKeyOrderTests.text(&generator) + RowKeyOrderTests.text(&generator),
      labels: (0..<Int.random(in: 0...3, using: &generator)).map { _ in
        shelves[Int.random(in: 0..<shelves.count, using: &generator)]
      },
      score: Bool.random(using: &generator) ? Double(Int.random(in: -2...2, using: &generator)) / 2 : nil)
  }

  static func make(_ generator: inout SeededGenerator) -> Case {
    func begins(_ text: String, _ start: String) -> Bool { text.utf8.starts(with: start.utf8) }
    func below(_ left: String, _ right: String) -> Bool { LibraryModel.precedes(left, right) }
    let (first, second) = (book(&generator), book(&generator))
    let (one, two) = (first.shelf, second.shelf)
    let (low, high) = (first.score ?? -0.0, second.score ?? 0.5)
    let cases: [Case] = [
      Case(description: "all", query: RowQuery(), index: .own) { _ in true },
      Case(description: "of a shelf", query: RowQuery(Book.self, .leading(one)), index: .own) {
        LibraryModel.isSame($0.book.shelf, one)
      },
      Case(description: "of shelves", query: RowQuery(Book.self, .leading(beginning: one)), index: .own) {
        begins($0.book.shelf, one)
      },
      Case(description: "one", query: RowQuery(Book.self, .key(first.key)), index: .own) {
        LibraryModel.isSame($0.book.shelf, one) && $0.book.number == first.number
      },
      Case(
        description: "from one up to another", query: RowQuery(Book.self, .from(first.key, upTo: second.key)),
        index: .own
      ) {
        let book = $0.book
        let isFrom =
          below(one, book.shelf) || (LibraryModel.isSame(one, book.shelf) && first.number <= book.number)
        return isFrom
          && (below(book.shelf, two) || (LibraryModel.isSame(two, book.shelf) && book.number < second.number))
      },
      Case(description: "above", query: RowQuery(Book.self, .above(first.key)), index: .own) {
        below(one, $0.book.shelf)
          || (LibraryModel.isSame(one, $0.book.shelf) && first.number < $0.book.number)
      },
      Case(description: "titles that begin", query: RowQuery(Book.byTitle, .prefix(one)), index: .title) {
        begins($0.text, one)
      },
      Case(description: "titles through", query: RowQuery(Book.byTitle, .through(first.title)), index: .title)
      {
        !below(first.title, $0.text)
      },
      Case(description: "a label", query: RowQuery(Book.byLabel, .key(one)), index: .label) {
        LibraryModel.isSame($0.text, one)
      },
      Case(description: "labels", query: RowQuery(Book.byLabel), index: .label) { _ in true },
      Case(description: "labels from", query: RowQuery(Book.byLabel, .from(one, through: two)), index: .label)
      {
        !below($0.text, one) && !below(two, $0.text)
      },
      Case(description: "scores", query: RowQuery(Book.byScore, .from(low, upTo: high)), index: .score) {
        $0.score >= low && $0.score < high
      },
      Case(description: "scores above", query: RowQuery(Book.byScore, .above(low)), index: .score) {
        $0.score > low
      },
      Case(description: "a score", query: RowQuery(Book.byScore, .key(low)), index: .score) {
        $0.score == low
      },
    ]
    var made = cases[Int.random(in: 0..<cases.count, using: &generator)]
    if Bool.random(using: &generator) { made.query = made.query.descending() }
    if Int.random(in: 0..<3, using: &generator) == 0 {
      made.query = made.query.filter(#Predicate { $0.number > 0 })
      made.description += ", filtered"
      let holds = made.holds
      made.holds = { holds($0) && $0.book.number > 0 }
    }
    return made
  }

  static func change(
    _ rows: inout ProjectionRows, _ model: inout LibraryModel, _ generator: inout SeededGenerator
  ) throws {
    let book = book(&generator)
    if Int.random(in: 0..<4, using: &generator) == 0 {
      #expect(try rows.delete(Book.self, book.key) == model.delete(book))
    } else if model.isTaken(book.title, for: book) {
      #expect(throws: AnnalsError.self) { try rows.put(book) }
    } else {
      try rows.put(book)
      model.put(book)
    }
  }

  static func check<Rows: ReadableRows & ~Copyable & ~Escapable>(
    _ rows: borrowing Rows, _ model: LibraryModel, _ generator: inout SeededGenerator, _ comment: Comment
  ) throws {
    for _ in 0..<4 {
      var made = make(&generator)
      if Bool.random(using: &generator) {
        made.query = made.query.limit(Int.random(in: 0...5, using: &generator))
      }
      let expected = made.expected(model).map(\.book)
      let found = try rows.rows(made.query)
      #expect(found == expected, "\(made), \(comment)")
      let count = try rows.count(made.query)
      #expect(count == expected.count, "\(made), \(comment)")
      let first = try rows.first(made.query)
      #expect(first == expected.first, "\(made), \(comment)")
    }
    let title = model.books.randomElement(using: &generator)?.title ?? "none"
    let found = try rows.first(Book.byTitle, title)
    #expect(found == model.books.first { LibraryModel.isSame($0.title, title) })
  }

  @Test(
    "queries give the same rows as loops over all rows, staged and stored",
    arguments: 1...30 as ClosedRange<UInt64>)
  func queries(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let file = try LibraryFile()
    var model = LibraryModel()
    for _ in 0..<6 {
      try file.change { rows in
        // Rows of other tables are next to them.
        try rows.put(Library.Shelf(name: RowKeyOrderTests.text(&generator), books: 1))
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
          try Self.change(&rows, &model, &generator)
          if Bool.random(using: &generator) {
            try Self.check(rows, model, &generator, "staged, seed \(seed)")
          }
        }
      }
      try file.read { rows in try Self.check(rows, model, &generator, "stored, seed \(seed)") }
    }
  }

  @Test("projections with prefixes of their own share a table", arguments: 1...5 as ClosedRange<UInt64>)
  func prefixes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let file = try LibraryFile()
    let prefixes: [[UInt8]] = [[0, 1], [0, 255], [1, 0], [255, 255]]
    var models = prefixes.map { _ in LibraryModel() }
    for _ in 0..<3 {
      for (index, prefix) in prefixes.enumerated() {
        try file.change(prefix: prefix) { rows in
          for _ in 0..<8 { try Self.change(&rows, &models[index], &generator) }
          try Self.check(rows, models[index], &generator, "staged, seed \(seed)")
        }
      }
    }
    for (index, prefix) in prefixes.enumerated() {
      try file.read(prefix: prefix) { rows in
        for _ in 0..<5 { try Self.check(rows, models[index], &generator, "seed \(seed)") }
      }
    }
  }

  @Test(
    "pages continue after the last row, regardless of rows put or removed meanwhile",
    arguments: 1...30 as ClosedRange<UInt64>)
  func pages(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let file = try LibraryFile()
    var model = LibraryModel()
    for _ in 0..<4 {
      let made = Self.make(&generator)
      var (token, last): (PageToken?, Found?) = (nil, nil)
      var pages = 0
      repeat {
        let limit = Int.random(in: 1...3, using: &generator)
        let page: RowPage<Book>
        if Bool.random(using: &generator) {
          var staged: RowPage<Book>?
          try file.change { rows in
            for _ in 0..<5 { try Self.change(&rows, &model, &generator) }
            staged = try rows.page(made.query.limit(limit), after: token)
          }
          page = try #require(staged)
        } else {
          page = try file.read { rows in try rows.page(made.query.limit(limit), after: token) }
        }
        let rest = model.all(by: made.index, descending: made.query.isDescending).filter {
          guard let last else { return true }
          return made.query.isDescending ? $0.precedes(last) : last.precedes($0)
        }
        let expected = rest.filter(made.holds)
        #expect(page.rows == expected.prefix(limit).map(\.book), "\(made), seed \(seed)")
        if page.next == nil { #expect(expected.count <= limit, "\(made), seed \(seed)") }
        if !made.query.needsRows {
          #expect((page.next == nil) == (expected.count <= limit), "\(made), seed \(seed)")
        }
        token = try page.next.map { try JSONDecoder().decode(PageToken.self, from: JSONEncoder().encode($0)) }
        last = expected.prefix(limit).last
        pages += 1
      } while token != nil && pages < 40
    }
  }
}
