@testable import Annals

/// The books as a dictionary, and queries as loops over it.
struct LibraryModel {
  typealias Book = Library.Book

  private(set) var books: [Book] = []

  static func precedes(_ left: String, _ right: String) -> Bool {
    Array(left.utf8).lexicographicallyPrecedes(Array(right.utf8))
  }

  static func isSame(_ left: String, _ right: String) -> Bool { Array(left.utf8) == Array(right.utf8) }

  private static func isSame(_ left: Book, _ right: Book) -> Bool {
    isSame(left.shelf, right.shelf) && left.number == right.number
  }

  /// Whether another book has the title.
  func isTaken(_ title: String, for book: Book) -> Bool {
    books.contains { Self.isSame($0.title, title) && !Self.isSame($0, book) }
  }

  mutating func put(_ book: Book) {
    books.removeAll { Self.isSame($0, book) }
    books.append(book)
  }

  mutating func delete(_ book: Book) -> Bool {
    let count = books.count
    books.removeAll { Self.isSame($0, book) }
    return books.count < count
  }

  /// A book under one of its keys.
  struct Found {
    let book: Book
    let text: String
    let score: Double

    /// Whether it comes before another in the order of the key, and then of the book's own.
    func precedes(_ other: Found) -> Bool {
      if !LibraryModel.isSame(text, other.text) { return LibraryModel.precedes(text, other.text) }
      if score != other.score { return score < other.score }
      if !LibraryModel.isSame(book.shelf, other.book.shelf) {
        return LibraryModel.precedes(book.shelf, other.book.shelf)
      }
      return book.number < other.book.number
    }
  }

  /// Which key a query is by.
  enum Index: CaseIterable { case own, title, label, score }

  /// All books under the keys of an index, in order.
  func all(by index: Index, descending: Bool) -> [Found] {
    var found: [Found] = []
    for book in books {
      switch index {
      case .own: found.append(Found(book: book, text: "", score: 0))
      case .title: found.append(Found(book: book, text: book.title, score: 0))
      case .score:
        if let score = book.score { found.append(Found(book: book, text: "", score: score)) }
      case .label:
        var known: [String] = []
        for label in book.labels where !known.contains(where: { Self.isSame($0, label) }) {
          known.append(label)
          found.append(Found(book: book, text: label, score: 0))
        }
      }
    }
    return found.sorted { descending ? $1.precedes($0) : $0.precedes($1) }
  }
}
