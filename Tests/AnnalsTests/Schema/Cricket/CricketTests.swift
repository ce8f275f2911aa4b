import Foundation
import Testing

@testable import Annals

/// Eleven years of cricket in an old format, read in the new one, and judged by a program that knows nothing of this library.
///
/// Skipped where the matches or `python3` are absent; a debug build takes every twentieth match.
@Suite(
  .serialized, .enabled(if: CricketMatches.isThere, "the matches, or python3 for their judge, are absent"))
struct CricketTests {
  @Test func `matches of both formats read in the newer one`() async throws {
    let place = try TemporaryStore()
    let matches = try CricketMatches(in: place.directory)
    let log = try EventLog(at: place.url)
    try await CricketLog.append(CricketLog.chunks(of: matches.log), to: log)
    let dump = place.directory.appending(path: "dump.jsonl")
    try Data().write(to: dump)
    let file = try FileHandle(forWritingTo: dump)
    var bytes: [UInt8] = []
    try CricketLog.lines(of: EventStore(at: place.url, plan: CricketPlan.self)) { line in
      bytes += line
      if bytes.count > 1 << 20 {
        try file.write(contentsOf: bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    try file.write(contentsOf: bytes)

    let older = try matches.judge("upcast", matches.olderAsNewer, dump)
    let newer = try matches.judge("upcast", matches.newer, dump)
    if CricketMatches.step == 1 {
      #expect(older == "ok 138339 compared, 0 wrong\n")
      #expect(newer == "ok 90493 compared, 0 wrong\n")
      #expect(try matches.judge("scores", matches.scores, dump) == "ok 1928 compared, 0 wrong\n")
    } else {
      let counts = try log.info().schemas.map(\.count)
      try #require(counts.count == 2)
      #expect(older == "ok \(counts[0]) compared, 0 wrong\n")
      #expect(newer == "ok \(counts[1]) compared, 0 wrong\n")
      #expect(counts[0] > 6_000 && counts[1] > 3_000)
    }
  }
}
