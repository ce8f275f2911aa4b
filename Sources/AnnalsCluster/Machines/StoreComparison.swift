package import AnnalsCoding
package import AnnalsLog
internal import AnnalsMaintenance
internal import Foundation

/// The comparison of two stores of a cluster, entry by entry.
package struct StoreComparison: Equatable, Sendable {
  /// The number of entries that both have and that are equal, from the first one on.
  package private(set) var equal: UInt64 = 0
  /// The position of the first entry that differs; `nil` if none does.
  package private(set) var difference: UInt64?
  /// The SHA-256 of the lines of the equal entries, as 64 hexadecimal digits.
  package private(set) var hash = ""

  /// Compares the entries that both stores have.
  ///
  /// One store may be ahead of the other, which is no difference. Entries are compared as `dump` prints them.
  ///
  /// - Parameters:
  ///   - one: A store.
  ///   - other: Another store of the same cluster.
  /// - Throws: ``AnnalsError`` with code `foreign` for stores of different logs, and the errors of reading.
  /// - Complexity: O(entries), and constant memory.
  package init(_ one: EventLog, _ other: EventLog) throws(AnnalsError) {
    guard one.id == other.id else {
      throw AnnalsError(
        .foreign,
        "the stores are of different logs, \(one.id.uuidString) and \(other.id.uuidString), so there is "
          + "nothing to compare")
    }
    var left = LineReader(try EntryLines(one))
    var right = LineReader(try EntryLines(other))
    var digest = SHA256()
    while let first = try left.next(), let second = try right.next() {
      guard first == second else {
        difference = equal + 1
        break
      }
      digest.update(first)
      equal += 1
    }
    hash = digest.finalize().map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }

  /// The lines of a log, one at a time.
  private struct LineReader {
    private var lines: EntryLines
    private var page: ArraySlice<UInt8> = []

    init(_ lines: EntryLines) { self.lines = lines }

    mutating func next() throws(AnnalsError) -> ArraySlice<UInt8>? {
      if page.isEmpty {
        guard let more = try lines.nextPage() else { return nil }
        page = more[...]
      }
      let end = page.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? page.endIndex
      defer { page = page[end...] }
      return page[..<end]
    }
  }
}
