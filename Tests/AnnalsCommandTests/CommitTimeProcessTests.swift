import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsCommand

/// Times of commits by two processes, which append in turns.
@Suite struct CommitTimeProcessTests {
  @Test(.enabled(if: BuiltTool.path != nil, "needs the program annals next to the test bundle"))
  func `positions are found by the times of commits of several processes`() async throws {
    let folder = try TemporaryDirectory()
    let url = folder.url.appendingPathComponent("store.annals")
    let line = #"{"stream":"a","type":"T","data":{}}"#
    let file = try folder.write("lines.jsonl", line + "\n" + line + "\n")
    let log = try EventLog(at: url)
    let payload = try Payload(.map([]))
    var commits: [(first: UInt64, time: Timestamp)] = []
    for round in 0..<8 {
      // More than the resolution, so that each commit has a time of its own.
      try await Task.sleep(for: .milliseconds(25))
      let (time, last) = (Timestamp.now, try log.read { try $0.head()?.rawValue ?? 0 })
      if round % 2 == 0 {
        try await log.append([NewEntry(type: "T", version: nil, payload: payload)], to: "a")
      } else {
        let spawned = try SpawnedProgram.annals("import", url.path, file, in: folder)
        #expect(spawned.status == 0, "\(spawned.errors)")
      }
      commits.append((last + 1, time))
    }
    for (index, commit) in commits.enumerated() {
      let found = try log.read { try $0.position(committedAtOrAfter: commit.time) }
      // The commit before may not have ended, unless it began two seconds ago.
      let expected = [commits[max(index - 1, 0)].first, commit.first].map { Position($0) }
      #expect(found.map { expected.contains($0) } == true, "commit \(index)")
    }
    let newest = commits.last.map { Position($0.first) }
    #expect(try log.read { try $0.position(committedAtOrAfter: .now) } ?? newest == newest)
    let later = Timestamp(microseconds: Timestamp.now.microseconds + 3_000_000)
    #expect(try log.read { try $0.position(committedAtOrAfter: later) } == nil)
    #expect(try SpawnedProgram.annals("verify", url.path, in: folder).status == 0)
  }
}
