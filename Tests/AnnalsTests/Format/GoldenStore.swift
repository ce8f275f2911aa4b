import Foundation

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsVerify
@testable import LMDB

/// The store that is kept as bytes under `Golden/format-1`, and the writer that made it.
enum GoldenStore {
  /// An entry that the writer appends and a reader must find.
  struct Expected: Equatable {
    var stream: StreamName
    var revision: UInt64
    var type: String
    var version: SchemaVersion?
    var time: String
    var id: UUID?
    var metadata: Metadata = [:]
    var endsCall = false
    var payload: CBOR
  }

  static let log = UUID(uuid: (1, 2, 3, 4, 5, 6, 0x40, 8, 0x80, 10, 11, 12, 13, 14, 15, 16))
  static let kept = KeptStore("format-1")

  private static let first = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
  private static let second = UUID(uuid: (0xff, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 2))

  /// Every entry, in the order of positions.
  static var entries: [Expected] {
    let one: [Expected] = [
      Expected(
        stream: "order-1", revision: 0, type: "Placed", version: SchemaVersion(1, 0, 0),
        time: "2008-04-18T14:30:00.000001Z", id: first, metadata: ["user": "7", "é": [1, .null]],
        payload: [
          "map": ["a": "z"], "list": [1, -1, 24, 256], "null": .null, "text": "naïve 🏏",
          "bytes": .bytes([0, 255]),
          "false": false, "double": 0.1,
        ]),
      Expected(
        stream: "order-1", revision: 1, type: "Pinged", version: nil, time: "0001-01-01T00:00:00.000000Z",
        payload: [:]),
      Expected(
        stream: "e\u{301}", revision: 0, type: "Placed", version: SchemaVersion(1, 0, 0),
        time: "2026-01-01T00:00:00.000000Z", id: second, endsCall: true, payload: ["n": .unsigned(.max)]),
    ]
    let many = (2...17 as ClosedRange<UInt64>).map { (revision) -> Expected in
      let isPlaced = revision % 2 == 0
      return Expected(
        stream: "order-1", revision: revision, type: isPlaced ? "Placed" : "Pinged",
        version: isPlaced ? SchemaVersion(1, 0, 0) : nil, time: "2026-01-01T00:00:00.000000Z", id: nil,
        payload: ["n": .unsigned(revision)])
    }
    let large = Expected(
      stream: "e\u{301}", revision: 1, type: "Placed", version: SchemaVersion(2, 10, 300),
      time: "9999-12-31T23:59:59.999999Z", endsCall: true,
      payload: ["text": .text(String(repeating: "Annals ", count: 500))])
    return one + many + [large]
  }

  /// Makes an empty store at `url` whose log id is always the same.
  static func create(at url: URL) throws {
    do { _ = try EventLog(at: url) }
    let directory = try Directory.open(path: url.path)
    let locks = EnvironmentLocks(
      open: try FileLock("open.lock", in: directory), queue: try FileLock("queue.lock", in: directory),
      write: try FileLock("write.lock", in: directory))
    let current = CurrentFile(log: log, generation: 1)
    let environment = try Environment.open(
      current.fileName, in: directory, tables: StoreTables.definitions, locks: locks)
    let key = Array(StoreMeta.Name.log.rawValue.utf8)
    let row = Row.seal(StoreMeta(log: log).value(of: .log), key: key)
    try environment.write { (transaction) throws(EnvironmentError) in
      try transaction.put(row.span, forKey: key.span, in: StoreTables(environment).meta)
    }
    try directory.replace(CurrentFile.name, with: current.encoded().span)
  }

  /// Writes the store at `url` as the first release did: two calls, with a fixed log id and fixed times.
  static func write(to url: URL) async throws {
    try create(at: url)
    let opened = try EventLog(at: url)
    var parts = entries[...]
    while let end = parts.firstIndex(where: \.endsCall) {
      var call = AppendCall<NewEntry>(
        time: Timestamp(microseconds: 0), maximumPayload: 1 << 20, SpareLists())
      for expected in parts[...end] {
        // The times of the store are written down, the clock's would be others each time.
        let time = try Timestamp(parsing: expected.time)
        call.append(
          [
            NewEntry(
              type: expected.type, version: expected.version, payload: try Payload(expected.payload),
              id: expected.id, metadata: expected.metadata, time: time)
          ], to: expected.stream)
      }
      _ = try await opened.append(call.finish().request)
      parts = parts[parts.index(after: end)...]
    }
  }

  /// Every row of every table of the store at `url`, in hexadecimal digits: table, key, value. The times of
  /// commits are left out, because they are others each time.
  static func dump(_ url: URL) throws -> String {
    let log = try EventLog(at: url)
    return try log.read { (snapshot) throws(AnnalsError) in
      let (reader, tables) = (snapshot.reader, log.core.generation.tables)
      var lines: [String] = []
      for table in [tables.entries, tables.heads, tables.schemas, tables.kinds, tables.census] {
        var cursor = try reader.cursor(in: table)
        while let row = try cursor.nextRow() {
          let value = ByteReader(row.value).copy(0..<row.value.count)
          lines.append("\(table.definition.name) \(hex(Row.key(row.key))) \(hex(value))")
        }
      }
      for table in [tables.streams, tables.meta] + [log.core.generation.environment.tags].compactMap({ $0 }) {
        lines += try self.lines(of: table, reader)
      }
      return lines.joined(separator: "\n") + "\n"
    }
  }

  /// Today's rows of a store from before the journal and times of commits existed: the row `requires` names
  /// their features first.
  ///
  /// - Parameter schemaEpoch: The number of the row `schemaEpoch`; `nil` if it is as in `rows`.
  static func withJournal(
    _ rows: String, requiring features: [StoreMeta.Requirement] = [], schemaEpoch: UInt64? = nil
  ) -> String {
    var meta = StoreMeta(log: UUID())
    meta.requires = [.journal, .journalHash, .times] + features
    var changed = [StoreMeta.Name.requires]
    if let schemaEpoch {
      meta.schemaEpoch = schemaEpoch
      changed.append(.schemaEpoch)
    }
    var lines = rows.split(separator: "\n", omittingEmptySubsequences: false)
    for name in changed {
      let key = Array(name.rawValue.utf8)
      let line = "meta \(hex(key)) \(hex(Row.seal(meta.value(of: name), key: key)))"
      lines = lines.map { $0.hasPrefix("meta \(hex(key)) ") ? Substring(line) : $0 }
    }
    return lines.joined(separator: "\n")
  }

  private static func lines(of table: Table, _ reader: borrowing StoreReader) throws(AnnalsError) -> [String]
  {
    var lines: [String] = []
    do throws(EnvironmentError) {
      var cursor = try reader.view.cursor(in: table)
      while let row = try cursor.next() {
        let key = ByteReader(row.key).copy(0..<row.key.count)
        if key.starts(with: CommitTimes.name.utf8) { continue }
        let value = ByteReader(row.value).copy(0..<row.value.count)
        lines.append("\(table.definition.name) \(hex(key)) \(hex(value))")
      }
    } catch {
      throw AnnalsError(error)
    }
    return lines
  }
}
