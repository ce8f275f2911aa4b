import Testing

@testable import Annals
@testable import AnnalsProjections

/// Rows with many secondary keys of one name.
struct ManyKeysTests {
  typealias Book = Library.Book

  static func book(_ number: Int, _ labels: [String]) -> Book {
    Book(shelf: "s", number: number, title: "\(number)", labels: labels, score: nil)
  }

  /// Checks that each label leads to the rows that have it, in their order, and to no others.
  static func check(
    _ rows: borrowing some ReadableRows & ~Copyable & ~Escapable, _ model: [Int: [String]],
    of labels: Range<Int>, _ comment: Comment
  ) throws {
    let all = try rows.rows(RowQuery(Book.byLabel)).map { "\($0.number)" }
    let entries = model.flatMap { number, labels in Set(labels).map { ($0, number) } }
    #expect(all == entries.sorted { $0 < $1 }.map { "\($0.1)" }, comment)
    for label in labels.map({ "\($0)" }) {
      let found = try rows.rows(RowQuery(Book.byLabel, .key(label))).map { $0.number }
      #expect(found == model.filter { $0.value.contains(label) }.keys.sorted(), "\(comment), label \(label)")
    }
  }

  @Test(
    "rows with few and many keys, some of them repeated, are found by each of their keys alone",
    arguments: 1...12 as ClosedRange<UInt64>)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try LibraryFile()
    var model: [Int: [String]] = [:]
    for batch in 0..<4 {
      try file.change { rows in
        for _ in 0..<12 {
          let number = Int.random(in: 0..<4, using: &random)
          if Int.random(in: 0..<6, using: &random) == 0 {
            try rows.delete(Book.self, Keys("s", number))
            model[number] = nil
            continue
          }
          // Near the number of keys up to which they are compared one by one, and far above it.
          let count = Int.random(in: 0..<(Bool.random(using: &random) ? 12 : 100), using: &random)
          var labels = (0..<count).map { _ in "\(Int.random(in: 0..<40, using: &random))" }
          if Bool.random(using: &random) { labels += model[number, default: []].dropFirst() }
          try rows.put(Self.book(number, labels))
          model[number] = labels
        }
        try Self.check(rows, model, of: 0..<40, "seed \(seed), batch \(batch)")
      }
      try file.read { rows in try Self.check(rows, model, of: 0..<40, "seed \(seed), stored batch \(batch)") }
    }
  }

  @Test("a row that gains one key after the other costs no step for each pair of its keys")
  func growth() throws {
    let file = try LibraryFile()
    let labels = (0..<20_000).map { "\($0)" }
    // With a comparison of each key with each, the changes took more than a minute.
    let time = try ContinuousClock().measure {
      try file.change { rows in
        for count in (labels.count - 20)...labels.count {
          try rows.put(Self.book(1, Array(labels[..<count])))
        }
      }
    }
    #expect(time < .seconds(30))
    let (count, last) = try file.read { rows in
      (try rows.count(RowQuery(Book.byLabel)), try rows.first(RowQuery(Book.byLabel, .key("19999"))))
    }
    #expect(count == labels.count)
    #expect(last?.number == 1)
  }
}
