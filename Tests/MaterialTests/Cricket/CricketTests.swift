import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Eleven years of cricket in an old format, read in the new one, and judged by a program that does not use
/// this library.
///
/// Skipped where the matches or `python3` are absent; a debug build takes every twentieth match.
@Suite(
  .serialized, .enabled(if: CricketMatches.isThere, "the matches, or python3 for their judge, are absent"))
struct CricketTests {
  private let place: TemporaryStore
  private let matches: CricketMatches

  init() throws {
    place = try TemporaryStore()
    matches = try CricketMatches(in: place.directory)
  }

  /// A file of all bytes that `fill` hands out.
  private func file(
    _ name: String = "lines.jsonl", _ fill: ((borrowing [UInt8]) throws -> Void) throws -> Void
  ) throws -> URL {
    let url = place.directory.appending(path: name)
    try Data().write(to: url)
    let file = try FileHandle(forWritingTo: url)
    var bytes: [UInt8] = []
    try fill { line in
      bytes += line
      guard bytes.count > 1 << 20 else { return }
      try file.write(contentsOf: bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    try file.write(contentsOf: bytes)
    return url
  }

  /// Reads `store` in the newer format and expects the judge's answers.
  ///
  /// - Parameter counts: The number of stored events of each format; by default the store's own counts.
  private func expectRight<Plan>(_ store: EventStore<Plan>, counts: [UInt64]? = nil) throws {
    let lines = try file { try CricketLog.lines(of: store, $0) }
    let older = try matches.judge("upcast", matches.olderAsNewer, lines)
    let newer = try matches.judge("upcast", matches.newer, lines)
    // The command's dump at the version is the same, entry by entry.
    let dump = try file("dump.jsonl") { body in
      var lines = try EventLines(store.log, plan: Plan.self, as: SchemaVersion(2, 0, 0))
      while let page = try lines.nextPage() { try body(page) }
    }
    #expect(try matches.judge("upcast", matches.olderAsNewer, dump, isDump: true) == older)
    #expect(try matches.judge("upcast", matches.newer, dump, isDump: true) == newer)
    if CricketMatches.step == 1 {
      #expect(older == "ok 138339 compared, 0 wrong\n")
      #expect(newer == "ok 90493 compared, 0 wrong\n")
      #expect(try matches.judge("scores", matches.scores, lines) == "ok 1928 compared, 0 wrong\n")
    } else {
      let counts = try counts ?? Self.counts(of: store.log)
      #expect(older == "ok \(counts[0]) compared, 0 wrong\n")
      #expect(newer == "ok \(counts[1]) compared, 0 wrong\n")
      #expect(counts[0] > 6_000 && counts[1] > 3_000)
    }
  }

  /// The number of events of each format.
  private static func counts(of log: EventLog) throws -> [UInt64] {
    let counts = try log.info().schemas.map(\.count)
    try #require(counts.count == 2)
    return counts
  }

  @Test func `imported matches of both formats read in the newer one as Codable records`() async throws {
    let log = try EventLog(at: place.url)
    try await CricketLog.append(CricketLog.chunks(of: matches.log), to: log)
    try expectRight(EventStore(at: place.url, plan: CricketByNamePlan.self))
  }

  @Test func `matches read the same when some are rewritten, and when all are`() async throws {
    let log = try EventLog(at: place.url)
    let reference = try EventLog(at: place.directory.appending(path: "reference.annals"))
    try await CricketLog.append(CricketLog.chunks(of: matches.log), to: reference)
    let counts = try Self.counts(of: reference)
    let data = try Data(contentsOf: matches.log)
    // After a line of the first third.
    let cut = try #require(data[(data.count / 3)...].firstIndex(of: UInt8(ascii: "\n"))) + 1
    try await CricketLog.append([Array(data[..<cut])], to: log)
    let store = try EventStore(at: place.url, plan: CricketPlan.self)
    let first = try await store.migrate().report()
    #expect(first.isDone && first.rewritten == first.entries)
    // Programs of both formats go on.
    try await CricketLog.append([Array(data[cut...])], to: log)
    let all = try log.info().entries
    try expectRight(store, counts: counts)
    let second = try await store.migrate().report()
    #expect(second.isDone && second.entries == all)
    try expectRight(store, counts: counts)
    #expect(try log.info().census.filter { $0.count > 0 }.allSatisfy { $0.version == CricketV2.version })
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try await !store.migrate().report().isDone)
  }

  @Test
  func
    `matches imported, and appended by shape under both formats, read in the newer one as records with shapes`()
    async throws
  {
    let imported = try EventLog(at: place.url)
    try await CricketLog.append(CricketLog.chunks(of: matches.log), of: 1, to: imported)
    let declared = place.directory.appending(path: "declared.annals")
    // Each format is written by the program of its time.
    try await CricketLog.copy(
      EventStore(at: place.url, plan: CricketFirst.self),
      to: EventStore(at: declared, plan: CricketFirst.self))
    let end = try #require(try imported.read { (snapshot) throws(AnnalsError) in try snapshot.head() })
    try await CricketLog.append(CricketLog.chunks(of: matches.log), of: 2, to: imported)
    let byName = try EventStore(at: place.url, plan: CricketPlan.self)
    let byShape = try EventStore(at: declared, plan: CricketPlan.self)
    try await CricketLog.copy(byName, from: Position(end.rawValue + 1), to: byShape)
    #expect(try imported.info().census.allSatisfy { !$0.isByShape })
    #expect(try byShape.log.info().census.allSatisfy(\.isByShape))

    try expectRight(byName)
    try expectRight(byShape)
    // Nothing of the input is lost if the names are in the shapes alone.
    let dump = try file { body in
      var lines = try EntryLines(byShape.log)
      while let page = try lines.nextPage() { try body(page) }
    }
    let count = try Self.counts(of: byShape.log).sum()
    #expect(try matches.judge("same", matches.log, dump, isDump: true) == "ok \(count) compared, 0 wrong\n")
    #expect(try EventLog.verify(declared).isClean)
  }
}
