import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsProjections

/// What queries refuse, and what a token is of.
struct RowQueryTests {
  typealias Book = Library.Book

  private func filled() throws -> LibraryFile {
    let file = try LibraryFile()
    try file.change { rows in
      for number in 0..<10 {
        try rows.put(Book(shelf: "a", number: number, title: "t\(number)", labels: ["x"], score: 1))
      }
    }
    return file
  }

  @Test("a token of another query, order or view is refused, and one that was altered")
  func foreignTokens() throws {
    let file = try filled()
    try file.read { rows in
      let query = RowQuery(Book.byLabel, .key("x")).limit(2)
      let token = try #require(try rows.page(query).next)
      // What is its own goes on.
      let second = try rows.page(query, after: token)
      #expect(second.rows.map(\.number) == [2, 3])
      var altered = Array(token.text)
      altered[9] = altered[9] == "A" ? "B" : "A"
      for (query, token) in [
        (query.descending(), token), (RowQuery(Book.byLabel, .key("y")), token),
        (RowQuery(Book.byLabel), token),
        (RowQuery(), token), (query.filter(#Predicate { $0.number > 1 }), token), (query, PageToken("")),
        (query, PageToken("none at all!")), (query, PageToken(String(altered))), (query, PageToken("AAAA")),
      ] {
        var refused: AnnalsError.Code?
        do { _ = try rows.page(query, after: token) } catch { refused = (error as? AnnalsError)?.code }
        #expect(refused == .malformed)
      }
    }
    #expect(
      PagePlace.scope(RowQuery(Book.self), name: "library", version: 1)
        != PagePlace.scope(RowQuery(Book.self), name: "library", version: 2))
    #expect(
      PagePlace.scope(RowQuery(Book.self), name: "library", version: 1)
        != PagePlace.scope(RowQuery(Book.self), name: "other", version: 1))
  }

  @Test("a token whose key was changed leads to no row outside the range of its query")
  func forgedTokens() throws {
    let file = try filled()
    try file.change { rows in
      for shelf in ["b", "c"] {
        for number in 0..<3 {
          let title = "\(shelf)\(number)"
          try rows.put(Book(shelf: shelf, number: number, title: title, labels: [], score: nil))
        }
      }
    }
    try file.read { rows in
      let query = RowQuery(Book.self, .leading("b"))
      for (query, shelf, expected) in [
        (query, "a", [0, 1, 2]), (query, "c", []),
        (query.descending(), "c", [2, 1, 0]), (query.descending(), "a", []),
      ] {
        let token = try #require(try rows.page(query.limit(1)).next)
        let place = try #require(PagePlace(token))
        var key = RowKeyBytes()
        Keys(shelf, 1).encode(into: &key)
        let forged = PagePlace(scope: place.scope, key: key.bytes).token
        let found = try rows.page(query, after: forged).rows
        #expect(found.allSatisfy { $0.shelf == "b" })
        #expect(found.map(\.number) == expected)
      }
    }
  }

  @Test("a key that the rows do not declare and a type that is no table are refused")
  func wrongUse() throws {
    let file = try filled()
    let undeclared = SecondaryKey<Book, Int>("undeclared") { $0.number }
    try file.read { rows in
      var codes: [AnnalsError.Code?] = []
      do { _ = try rows.rows(RowQuery(undeclared)) } catch { codes.append((error as? AnnalsError)?.code) }
      do { _ = try rows.rows(RowQuery(ViewFoldTests.Roster.Player.self)) } catch {
        codes.append((error as? AnnalsError)?.code)
      }
      #expect(codes == [.wrongUse, .wrongUse])
    }
  }

  @Test("a predicate that throws is reported without the row")
  func throwingPredicate() throws {
    let file = try filled()
    try file.change { rows in
      try rows.put(Book(shelf: "a", number: 3, title: "secret", labels: [], score: nil))
    }
    try file.read { rows in
      var found: AnnalsError?
      do { _ = try rows.rows(RowQuery(Book.self).filter(#Predicate { $0.score! > 0 })) } catch {
        found = error as? AnnalsError
      }
      let error = try #require(found)
      #expect(error.code == .ruleFailed)
      #expect(!error.message.contains("secret"))
      #expect(error.underlying != nil)
    }
  }

  @Test("a count without a predicate reads no row")
  func countWithoutRows() throws {
    let file = try filled()
    // The value under this key is not a row.
    var whole = RowKeyBytes()
    whole.append(try file.outline.space(of: Book.self))
    Keys("a", 4).encode(into: &whole)
    var transaction = try file.environment.beginWrite(durability: .none)
    let (key, value) = (whole.bytes, [1, 2, 3] as [UInt8])
    try transaction.put(near: value.span, forKey: key.span, in: file.environment.table("rows"))
    try transaction.commit()
    try file.read { rows in
      let count = try rows.count(RowQuery(Book.self))
      #expect(count == 10)
      var code: AnnalsError.Code?
      do { _ = try rows.rows(RowQuery(Book.self)) } catch { code = (error as? AnnalsError)?.code }
      #expect(code == .damaged)
    }
  }

  @Test("bounds that are longer than any key are bounds all the same")
  func longBounds() throws {
    let file = try filled()
    let long = String(repeating: "t", count: 2_000)
    try file.read { rows in
      for (range, count) in [
        (.from(long), 0), (.upTo(long), 10), (.above(long), 0), (.through(long), 10), (.key(long), 0),
        (.prefix(long), 0), (.from("a", through: long), 10),
      ] as [(KeyRange<String>, Int)] {
        for query in [RowQuery(Book.byTitle, range), RowQuery(Book.byTitle, range).descending()] {
          let found = try rows.count(query)
          #expect(found == count)
        }
      }
    }
  }

  @Test("looks between changes cost the logarithm of the staged rows")
  func boundedLooks() throws {
    let file = try LibraryFile()
    func time(_ count: Int) throws -> Duration {
      let start = Self.processorTime()
      try file.change { rows in
        for number in 0..<count {
          try rows.put(
            Book(shelf: "s", number: number, title: "t\(number)", labels: ["l\(number % 7)"], score: nil))
          let first = try rows.first(Book.byLabel, "l\(number % 7)")
          #expect(first?.number == number % 7)
        }
      }
      return Self.processorTime() - start
    }
    _ = try time(100)
    func best(_ count: Int) throws -> Duration { try (0..<5).map { _ in try time(count) }.min() ?? .zero }
    let (short, long) = (try best(500), try best(4_000))
    // Eight times as many: where each look went through all of them it would be sixty-four times as long.
    #expect(long < short * 24, "\(short), \(long)")
  }

  /// How much of a processor the thread has had.
  private static func processorTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
