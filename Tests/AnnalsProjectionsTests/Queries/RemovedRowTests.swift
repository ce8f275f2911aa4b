import Testing

@testable import Annals
@testable import AnnalsProjections

/// Queries of a fold between removals, of rows that were stored before or are only staged.
struct RemovedRowTests {
  typealias Book = Library.Book

  static func book(_ number: Int, score: Int) -> Book {
    Book(shelf: "s", number: number, title: "\(number)", labels: [], score: Double(score))
  }

  /// The books by number, each with its score.
  struct Model {
    var scores: [Int: Int] = [:]

    /// The numbers of the books in the order of one of their keys.
    func numbers(byScore: Bool, descending: Bool) -> [Int] {
      let sorted = scores.keys.sorted { left, right in
        let (first, second) = byScore ? (scores[left, default: 0], scores[right, default: 0]) : (0, 0)
        return first == second ? left < right : first < second
      }
      return descending ? sorted.reversed() : sorted
    }
  }

  static func change(
    _ rows: inout ProjectionRows, _ model: inout Model, _ random: inout SeededGenerator
  ) throws {
    let start = Int.random(in: 0..<2_000, using: &random)
    let range = start..<(start + Int.random(in: 1..<400, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      for number in range.shuffled(using: &random) {
        let score = Int.random(in: 0..<300, using: &random)
        try rows.put(book(number, score: score))
        model.scores[number] = score
      }
    case 1:
      for number in range {
        let isThere = try rows.delete(Book.self, Keys("s", number))
        #expect(isThere == (model.scores.removeValue(forKey: number) != nil))
      }
    case 2:
      for number in range where model.scores[number] != nil {
        try rows.update(Book.self, Keys("s", number), initial: book(number, score: 0)) {
          $0.score = ($0.score ?? 0) + 1
        }
        model.scores[number, default: 0] += 1
      }
    default:
      // Takes rows from either end, as a queue does.
      let isByScore = Bool.random(using: &random)
      var query = isByScore ? RowQuery(Book.byScore) : RowQuery(Book.self)
      if Bool.random(using: &random) { query = query.descending() }
      let numbers = model.numbers(byScore: isByScore, descending: query.isDescending)
      for number in numbers.prefix(range.count) {
        let first = try rows.first(query)
        #expect(first?.number == number)
        try rows.delete(Book.self, Keys("s", number))
        model.scores[number] = nil
      }
    }
  }

  static func check(
    _ rows: borrowing ProjectionRows, _ model: Model, _ random: inout SeededGenerator, _ comment: Comment
  ) throws {
    let low = Int.random(in: 0..<2_400, using: &random)
    let range = low..<(low + Int.random(in: 0..<600, using: &random))
    for isDescending in [false, true] {
      func ordered(_ query: RowQuery<Book>) -> RowQuery<Book> { isDescending ? query.descending() : query }
      let numbers = model.numbers(byScore: false, descending: isDescending)
      #expect(try rows.rows(ordered(RowQuery(Book.self))).map(\.number) == numbers, comment)
      let scored = model.numbers(byScore: true, descending: isDescending)
      #expect(try rows.rows(ordered(RowQuery(Book.byScore))).map(\.number) == scored, comment)
      let (lower, upper) = (Keys("s", range.lowerBound), Keys("s", range.upperBound))
      let some = ordered(RowQuery(Book.self, .from(lower, upTo: upper)))
      let expected = numbers.filter { range.contains($0) }
      #expect(try rows.count(some) == expected.count, comment)
      #expect(try rows.first(some)?.number == expected.first, comment)
      let scores = ordered(RowQuery(Book.byScore, .from(Double(low / 8), through: Double(low / 8 + 20))))
      let within = scored.filter { (low / 8...low / 8 + 20).contains(model.scores[$0, default: -1]) }
      #expect(try rows.count(scores) == within.count, comment)
      var (found, token): ([Int], PageToken?) = ([], nil)
      repeat {
        let page = try rows.page(scores.limit(7), after: token)
        found += page.rows.map(\.number)
        token = page.next
      } while token != nil
      #expect(found == within, comment)
    }
  }

  @Test(
    "queries between removals give the rows of a model, within a batch and across batches",
    arguments: 1...12 as ClosedRange<UInt64>)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try LibraryFile()
    let staging = RowStaging(file.outline, Library.tables)
    var model = Model()
    for batch in 0..<5 {
      let kept = Bool.random(using: &random) ? staging : RowStaging(file.outline, Library.tables)
      // Rows in memory that another batch has changed are read again.
      if kept !== staging { staging.forget() }
      try file.change(kept) { rows in
        for step in 0..<8 {
          try Self.change(&rows, &model, &random)
          guard Bool.random(using: &random) else { continue }
          try Self.check(rows, model, &random, "seed \(seed), batch \(batch), step \(step)")
        }
      }
      try file.change { rows in try Self.check(rows, model, &random, "seed \(seed), stored batch \(batch)") }
    }
  }

  /// Puts rows, and after each takes the first by a query, if `takes`.
  private static func time(
    _ file: LibraryFile, _ count: Int, _ query: RowQuery<Book>, takes: Bool
  ) throws -> Duration {
    try ContinuousClock().measure {
      try file.change { rows in
        for number in 0..<count {
          try rows.put(book(10_000 + number, score: number))
          guard let first = try rows.first(query), takes else { continue }
          try rows.delete(Book.self, first.key)
        }
      }
    }
  }

  @Test("a queue costs about as much as rows that stay, at either end and by either key")
  func queue() throws {
    // With a step for each removed row, it took more than a hundred times as long.
    for query in [
      RowQuery(Book.self), RowQuery(Book.self).descending(), RowQuery(Book.byScore),
      RowQuery(Book.byScore).descending(),
    ] {
      for stored in [0, 8_000] {
        func filled() throws -> LibraryFile {
          let file = try LibraryFile()
          try file.change { rows in
            for number in 0..<stored {
              try rows.put(Self.book(query.isDescending ? 20_000 + number : number, score: number))
            }
          }
          return file
        }
        let kept = try Self.time(filled(), 8_000, query, takes: false)
        let taken = try Self.time(filled(), 8_000, query, takes: true)
        #expect(taken < kept * 10, "\(query), \(stored) stored")
      }
    }
  }
}
