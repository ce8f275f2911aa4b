import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore
@testable import LMDB

/// Stores whose rows hold numbers that no store reaches, under checksums that are right.
@Suite struct HostileRowTests {
  /// The names of tables with integer keys, and of those with keys of bytes.
  private static let numbered = ["entries", "heads", "schemas", "kinds", "census"]
  private static let named = ["streams", "meta"]

  private func craft(
    _ url: URL, _ body: (inout WriteTransaction, StoreTables) throws(EnvironmentError) -> Void
  ) throws {
    try BadRowTests().craft(url, body)
  }

  private static func table(_ name: String, _ tables: StoreTables) -> Table {
    switch name {
    case "entries": tables.entries
    case "heads": tables.heads
    case "schemas": tables.schemas
    case "kinds": tables.kinds
    case "census": tables.census
    case "streams": tables.streams
    default: tables.meta
    }
  }

  /// All rows of a table, with their checksums.
  private func rows(_ name: String, _ url: URL) throws -> [(key: [UInt8], value: [UInt8])] {
    var found: [(key: [UInt8], value: [UInt8])] = []
    try craft(url) { (transaction, tables) throws(EnvironmentError) in
      let table = Self.table(name, tables)
      if Self.numbered.contains(name) {
        var cursor = try transaction.view.integerCursor(in: table)
        while let row = try cursor.next() { found.append((Row.key(row.key), row.value.copied)) }
      } else {
        var cursor = try transaction.view.cursor(in: table)
        while let row = try cursor.next() { found.append((row.key.copied, row.value.copied)) }
      }
    }
    return found
  }

  private func put(_ value: [UInt8], _ key: [UInt8], _ name: String, _ url: URL) throws {
    try craft(url) { (transaction, tables) throws(EnvironmentError) in
      let table = Self.table(name, tables)
      if Self.numbered.contains(name) {
        try transaction.put(value.span, forKey: Self.number(key), in: table)
      } else {
        try transaction.put(value.span, forKey: key.span, in: table)
      }
    }
  }

  private static func number(_ key: [UInt8]) -> UInt64 {
    key.enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
  }

  /// The value under its right checksum.
  private static func sealed(_ value: [UInt8], _ key: [UInt8], _ name: String) -> [UInt8] {
    guard name == "entries" else { return Row.seal(value, key: key) }
    var value = value
    guard value.count >= 7 else { return value }
    let checksum = EntryHeader.checksum(of: value.span, at: Position(number(key)))
    for index in 0..<4 { value[3 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index))) }
    return value
  }

  /// Uses a store in every common way; each error must be an `AnnalsError`.
  private func use(_ url: URL) async {
    var options = StoreOptions.merging(every: 4)
    options.durability = .relaxed
    do throws(AnnalsError) {
      let log = try EventLog(at: url, options: options)
      do throws(AnnalsError) {
        _ = try log.read { (snapshot) throws(AnnalsError) in try Reading(snapshot) }
      } catch {}
      for stream in ["order 0", "order 1", "all", "new"] {
        for id in [nil, UUID()] {
          let entry = NewEntry(
            type: "Placed", version: SchemaVersion(1, 0, 0), payload: Payload(stored: [0xa0]), id: id)
          do throws(AnnalsError) { try await log.append([entry], to: StreamName(stream)) } catch {}
        }
        do throws(AnnalsError) {
          _ = try log.read { (snapshot) throws(AnnalsError) in
            try snapshot.all(in: StreamName(stream), from: 0, limit: 3)
          }
        } catch {}
      }
      do throws(AnnalsError) { _ = try log.inlineProjections() } catch {}
    } catch {}
    do throws(AnnalsError) { _ = try EventLog.inspect(url) } catch {}
    do throws(AnnalsError) { _ = try EventLog.verify(url) } catch {}
    do throws(AnnalsError) {
      let store = try EventStore(at: url, plan: Specimen.Plan.self, options: StoreOptions(access: .readOnly))
      _ = try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        while try entries.next() != nil {}
      }
    } catch {}
  }

  @Test(arguments: numbered + named)
  func `A row with any number in it is read, or refused with an error`(table: String) async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let whole = try TemporaryStore()
    try await Specimen.create(at: whole.url)
    var rows = try rows(table, whole.url)
    if table == "meta" {
      rows.append(
        (
          Array(MergeRow.name.utf8),
          Row.seal(MergeRow(position: 9, next: 3).encoded(), key: Array(MergeRow.name.utf8))
        ))
    }
    rows.shuffle(using: &random)
    let place = try TemporaryStore()
    var cases: [(key: [UInt8], value: [UInt8])] = []
    for (key, stored) in rows.prefix(table == "meta" ? .max : 6) {
      let value = table == "entries" ? stored : Array(stored.dropLast(4))
      let starts = Array((table == "entries" ? 7 : 0)..<min(value.count, 60))
      for start in table == "meta"
        ? Array(starts.prefix(2)) : Array(starts.shuffled(using: &random).prefix(3))
      {
        let end = value[start...].firstIndex { $0 < 0x80 } ?? value.endIndex - 1
        for number in RowDecoderTests.extremes.shuffled(using: &random).prefix(table == "meta" ? 12 : 3) {
          var varint: [UInt8] = []
          varint.append(varint: number)
          cases.append((key, Array(value[..<start]) + varint + value[(end + 1)...]))
        }
      }
    }
    if Self.numbered.contains(table), let stored = rows.first?.value {
      // A row under a number that none has.
      let value = table == "entries" ? stored : Array(stored.dropLast(4))
      for number in RowDecoderTests.extremes { cases.append((Row.key(number), value)) }
    }
    for (key, value) in cases.shuffled(using: &random).prefix(12) {
      try? FileManager.default.removeItem(at: place.url)
      try FileManager.default.copyItem(at: whole.url, to: place.url)
      do { try put(Self.sealed(value, key, table), key, table, place.url) } catch { continue }
      await use(place.url)
    }
  }

  @Test func `A window of no entries is damage that names its table, also with trust set to nobody`()
    async throws
  {
    for window in [0, 1 << 32, .max] as [UInt64] {
      let place = try TemporaryStore()
      try await Specimen.create(at: place.url)
      var value: [UInt8] = []
      value.append(varint: window)
      let key = Array(StoreMeta.Name.window.rawValue.utf8)
      try put(Row.seal(value, key: key), key, "meta", place.url)
      for trust in [StoreOptions.Trust.nobody, .own] {
        let error = #expect(throws: AnnalsError.self) {
          try EventLog(at: place.url, options: StoreOptions(trust: trust))
        }
        #expect(error?.code == .damaged && error?.details.table == "meta", "window \(window)")
      }
    }
  }
}
