#if HAS_SQLITE
  import CSQLite
  import TypedSchemas

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Typed reads written by hand on SQLite: rows of events whose payload, a JSON object, is decoded.
  ///
  /// Of each row only the payload is looked at, and it is decoded where SQLite has it.
  ///
  /// `@unchecked Sendable`: a run reads from one piece of work at a time.
  final class DecodedRows: @unchecked Sendable {
    private let rows: RowsOfEvents
    private let selectAll, selectStream: SQLiteStatement
    private let decoder = JSONDecoder()

    /// One event, a JSON object, so many times in a new table.
    init(_ json: Data, entries: Int, streams: Int, in directory: URL) throws {
      rows = try RowsOfEvents(
        String(decoding: json, as: UTF8.self), entries: entries, streams: streams, in: directory)
      selectAll = try rows.connection.prepare("SELECT payload FROM events ORDER BY position")
      selectStream = try rows.connection.prepare(
        "SELECT payload FROM events WHERE stream = ?1 ORDER BY revision")
    }

    /// Decodes all events; gives how many there were.
    func scan() throws -> Int {
      defer { selectAll.reset() }
      return try decoded(selectAll)
    }

    /// Decodes the events of one stream; gives how many there were.
    func read(stream: String) throws -> Int {
      var stream = stream
      return try stream.withUTF8 { stream in
        defer { selectStream.reset() }
        try unsafe selectStream.bind(text: stream, at: 1)
        return try decoded(selectStream)
      }
    }

    private func decoded(_ statement: borrowing SQLiteStatement) throws -> Int {
      var count = 0
      while try statement.step() {
        let bytes = unsafe statement.bytes(0)
        guard let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress) else { continue }
        let payload = unsafe Data(bytesNoCopy: start, count: bytes.count, deallocator: .none)
        // Every event has three sets.
        count += try decoder.decode(ByName.SetLogged.self, from: payload).sets / 3
      }
      return count
    }
  }
#endif
