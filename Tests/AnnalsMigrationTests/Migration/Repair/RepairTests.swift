import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import LMDB

/// A repair of stores that have lost entries.
@Suite struct RepairTests {
  private let place: TemporaryStore
  private let generations: Generations

  init() throws {
    place = try TemporaryStore()
    generations = Generations(place)
  }

  /// The number of entries, in four streams: position p is revision (p - 1) / 4 of stream (p - 1) % 4.
  private static let count: UInt64 = 80

  private func stream(_ position: UInt64) -> StreamName { StreamName("s\((position - 1) % 4)") }
  private func revision(_ position: UInt64) -> Revision { Revision((position - 1) / 4) }

  /// Fills the store; the first stream has a type of its own.
  private func fill() async throws {
    let log = try place.open()
    for round in 0..<Int(Self.count / 4) {
      let other = NewEntry(
        type: "Other", version: nil, payload: try Payload(["number": .init(round)]), metadata: ["user": "7"])
      try await log.append([other], to: "s0")
      for number in 1..<4 {
        try await log.append([.placed(round, id: number == 2 ? UUID() : nil)], to: StreamName("s\(number)"))
      }
    }
  }

  /// Every entry as text, by position.
  private func entries() throws -> [UInt64: String] {
    try place.open().read { (snapshot) throws(AnnalsError) in
      var all: [UInt64: String] = [:]
      for entry in try snapshot.all() { all[entry.position.rawValue] = "\(entry)" }
      return all
    }
  }

  /// The entries' bytes in a generation's file.
  private func bytes(_ generation: UInt64) throws -> [UInt64: [UInt8]] {
    try generations.read(generation) { (reader) throws(AnnalsError) in
      var bytes: [UInt64: [UInt8]] = [:]
      var cursor = try reader.entriesCursor()
      while let row = try cursor.nextRow() { bytes[row.key] = row.value.copied }
      return bytes
    }
  }

  /// Spoils the last byte of entries.
  private func spoil(_ positions: [UInt64]) throws {
    let old = try bytes(1)
    try generations.change(1) { (transaction, tables) throws(EnvironmentError) in
      for position in positions {
        guard var bytes = old[position] else { continue }
        bytes[bytes.count - 1] ^= 0x40
        try transaction.put(bytes.span, forKey: position, in: tables.entries)
      }
    }
  }

  /// Takes away the rows that lead to the streams, so that every entry is in the tail.
  private func makeTail() throws {
    try generations.change(1) { (transaction, tables) throws(EnvironmentError) in
      for position in 1...4 as ClosedRange<UInt64> {
        _ = try transaction.delete(key: position, in: tables.heads)
        let name = Array("s\(position - 1)".utf8)
        _ = try transaction.delete(key: name.span, in: tables.streams)
      }
    }
    try generations.set(1, [(StoreMeta.Name.checkpoint.rawValue, [0])])
  }

  /// Throws away nothing but what is lost: checks all that holds after every repair.
  private func check(_ report: RepairReport, lost: [UInt64], before: [UInt64: String]) throws {
    #expect(report.isDone)
    #expect(report.generation == 2 && report.predecessor == 1)
    #expect(report.entries.map(\.position.rawValue) == lost)
    #expect(try EventLog.verify(place.url).findings == [])
    let after = try entries()
    #expect(after.count == before.count)
    for (position, entry) in before where !lost.contains(position) { #expect(after[position] == entry) }
    for position in lost { #expect(after[position]?.contains("could not be read") == true) }
  }

  @Test(
    arguments: [
      [1], [2], [30], [77], [80], [1, 2], [1, 5, 9], [1, 2, 3, 4], Array(30...37), [77, 78, 79, 80],
      [2, 6, 10, 14, 18, 22], [33], [65, 66], Array(1...12),
    ] as [[UInt64]])
  func `lost entries become stubs in their places, and nothing else changes`(lost: [UInt64]) async throws {
    try await fill()
    let before = try entries()
    try spoil(lost)
    let damaged = try bytes(1)
    let report = try EventLog.repair(place.url)
    try check(report, lost: lost, before: before)
    for entry in report.entries {
      #expect(entry.stream == stream(entry.position.rawValue))
      #expect(entry.revision == revision(entry.position.rawValue))
      #expect(entry.isKnown)
      #expect(entry.problem.contains("checksum"))
    }
    #expect(try bytes(1) == damaged)
    let log = try place.open()
    for number in 0..<4 {
      let stored = try await log.append(
        [.placed(100)], to: StreamName("s\(number)"), expecting: .revision(19))
      #expect(stored.positions == [Position(Self.count + UInt64(number) + 1)])
    }
    let read = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all(in: "s1") }
    #expect(read.map(\.revision) == (0...20).map { Revision($0) })
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `all other entries are unchanged, regardless of the lost ones`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    try await fill()
    let before = try entries()
    let lost = (1...Self.count).filter { _ in random.next() % 5 < seed }
    try spoil(lost)
    let report = try EventLog.repair(place.url)
    try check(report, lost: lost, before: before)
    let log = try place.open()
    for number in 0..<4 {
      let name = StreamName("s\(number)")
      try await log.append([.placed(100)], to: name, expecting: .revision(19))
    }
  }

  @Test func `a missing position becomes a stub`() async throws {
    try await fill()
    let before = try entries()
    try generations.change(1) { (transaction, tables) throws(EnvironmentError) in
      for position in [30, 31] as [UInt64] { _ = try transaction.delete(key: position, in: tables.entries) }
    }
    let report = try EventLog.repair(place.url)
    try check(report, lost: [30, 31], before: before)
    #expect(report.entries.first?.problem == "the entry is missing")
    #expect(report.entries.map(\.revision) == [7, 7])
  }

  @Test func `an entry in the middle of the tail is found by the links to it`() async throws {
    try await fill()
    let before = try entries()
    try makeTail()
    try spoil([30])
    let report = try EventLog.repair(place.url)
    try check(report, lost: [30], before: before)
    #expect(report.entries.first?.stream == "s1")
    #expect(report.entries.first?.revision == 7)
    try await place.open().append([.placed(100)], to: "s1", expecting: .revision(19))
  }

  @Test func `the newest entry of a stream in the tail gets a stream of its own`() async throws {
    try await fill()
    let before = try entries()
    try makeTail()
    try spoil([78])
    let report = try EventLog.repair(place.url)
    try check(report, lost: [78], before: before)
    #expect(report.entries.first?.isKnown == false)
    #expect(report.entries.first?.stream == "annals/unreadable/78")
    let log = try place.open()
    #expect(
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.all(in: "annals/unreadable/78") }.count
        == 1)
    try await log.append([.placed(100)], to: "s1", expecting: .revision(18))
  }

  @Test func `a stream whose name is lost everywhere gets one that says so`() async throws {
    try await fill()
    let before = try entries()
    try makeTail()
    try spoil([2])
    let report = try EventLog.repair(place.url)
    #expect(report.entries.map(\.isKnown) == [true])
    #expect(report.entries.map(\.stream) == ["annals/unreadable/2"])
    #expect(try EventLog.verify(place.url).findings == [])
    let log = try place.open()
    let read = try log.read { (snapshot) throws(AnnalsError) in
      try snapshot.all(in: "annals/unreadable/2")
    }
    #expect(read.map(\.revision) == (0...19).map { Revision($0) })
    let others = before.filter { $0.key % 4 != 2 }
    let after = try entries()
    for (position, entry) in others { #expect(after[position] == entry) }
  }

  @Test func `a rollback brings the damaged bytes back`() async throws {
    try await fill()
    try spoil([30])
    let damaged = try bytes(1)
    _ = try EventLog.repair(place.url)
    #expect(try EventLog.rollback(place.url).to == 1)
    #expect(try bytes(1) == damaged)
    #expect(try EventLog.verify(place.url).findings.contains { $0.position == 30 })
    #expect(try EventLog.repair(place.url).generation == 3)
  }

  @Test func `a stub is counted as set aside`() async throws {
    try await fill()
    try spoil([1, 30])
    _ = try EventLog.repair(place.url)
    let census = try place.open().read { (snapshot) throws(AnnalsError) in try snapshot.reader.census() }
    #expect(census.values.map(\.quarantined).sum() == 2)
    #expect(census.values.map(\.parts).sum() == Self.count - 2)
  }

  @Test func `the remains of an unfinished pass are discarded`() async throws {
    try await fill()
    try spoil([30])
    try generations.begin(1, to: 2)
    let report = try EventLog.repair(place.url)
    #expect(report.isDone && report.generation == 3)
    #expect(try EventLog.verify(place.url).findings == [])
  }

  @Test func `a sound store stays as it is`() async throws {
    try await fill()
    let before = try place.files()
    let report = try EventLog.repair(place.url)
    #expect(!report.isNeeded && !report.isDone && report.generation == 1)
    #expect(try place.files() == before)
  }

  @Test func `a dry run lists the losses and changes nothing`() async throws {
    try await fill()
    try spoil([30])
    let before = try place.files()
    let report = try EventLog.repair(place.url, isDryRun: true)
    #expect(report.isNeeded && !report.isDone)
    #expect(report.entries.map(\.position) == [30])
    #expect(try place.files() == before)
  }

  @Test func `rows that follow from the log are created again`() async throws {
    try await fill()
    let before = try entries()
    try generations.change(1) { (transaction, tables) throws(EnvironmentError) in
      let junk: [UInt8] = [1, 2, 3, 4, 5, 6]
      try transaction.put(junk.span, forKey: 1, in: tables.census)
      try transaction.put(junk.span, forKey: 2, in: tables.heads)
      let name = Array("s2".utf8)
      _ = try transaction.delete(key: name.span, in: tables.streams)
    }
    let report = try EventLog.repair(place.url)
    #expect(report.isDone && report.entries == [] && !report.rebuilt.isEmpty)
    #expect(try EventLog.verify(place.url).findings == [])
    #expect(try entries() == before)
    try await place.open().append([.placed(100)], to: "s2", expecting: .revision(19))
  }

  @Test func `an entry of a later format is no damage and is refused`() async throws {
    try await fill()
    var bytes = try #require(try bytes(1)[30])
    bytes[0] = 2
    let checksum = EntryHeader.checksum(of: bytes.span, at: 30)
    for (index, place) in EntryHeader.checksum.enumerated() {
      bytes[place] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
    }
    try generations.change(1) { (transaction, tables) throws(EnvironmentError) in
      try transaction.put(bytes.span, forKey: 30, in: tables.entries)
    }
    let error = #expect(throws: AnnalsError.self) { try EventLog.repair(place.url) }
    #expect(error?.code == .formatVersion)
  }

  @Test func `damaged pages are refused`() async throws {
    try await fill()
    let file = generations.file(1)
    var bytes = try Data(contentsOf: file)
    for page in 2..<bytes.count / 4_096 { bytes[page * 4_096 + 10] ^= 0xff }
    try bytes.write(to: file)
    let error = #expect(throws: AnnalsError.self) { try EventLog.repair(place.url) }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("backup") == true)
  }

  @Test func `a pass continues after a repair`() async throws {
    try await fill()
    try spoil([1, 30])
    _ = try EventLog.repair(place.url)
    let before = try entries()
    let report = try await place.open().compact().report()
    #expect(report.isDone && report.generation == 3)
    #expect(try entries() == before)
    #expect(try EventLog.verify(place.url).findings == [])
  }
}
