import Annals
import FaultPrograms
import Foundation
import Testing

/// Processes that are stopped and go on later.
@Suite(.serialized) struct StopTests {
  @Test func `an append that waits for a stopped process fails in time, names it, and works later`()
    async throws
  {
    let temporary = try TemporaryStore()
    try temporary.create()
    let holder = try Child.run("hold", temporary.url.path)
    #expect(holder.speaks())
    holder.stop(true)
    var options = StoreOptions()
    options.lockTimeout = .milliseconds(200)
    let log = try EventLog(at: temporary.url, options: options)
    let entry = NewEntry(type: "Noted", version: nil, payload: try Payload(["n": 1]))
    let error = await #expect(throws: AnnalsError.self) { try await log.append([entry], to: "a") }
    #expect(error?.code == .busy)
    #expect(error?.message.contains("\(holder.process)") == true, "\(error.map { "\($0)" } ?? "")")
    // Reading needs no turn.
    #expect(try log.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == nil)
    holder.stop(false)
    try holder.kill()
    // With the usual patience: the thread that waits has to be woken first.
    try await EventLog(at: temporary.url).append([entry], to: "a")
    #expect(try EventLog.verify(temporary.url).entries == 1)
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `writers that are stopped at any moment and go on lose nothing and agree on the order`(seed: UInt64)
    throws
  {
    let temporary = try TemporaryStore()
    try temporary.create()
    let writers = [1: temporary.path("writer1"), 2: temporary.path("writer2"), 3: temporary.path("writer3")]
    let watcher = try Child.run("watch", temporary.url.path, temporary.path("watcher"))
    let children = try writers.map { number, journal in
      try Child.run("write", temporary.url.path, journal, "\(number)", "\(seed)", "60", "0")
    }
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let child = children[Int.random(in: 0..<3, using: &random)]
      child.stop(true)
      usleep(UInt32.random(in: 0..<8_000, using: &random))
      child.stop(false)
      usleep(UInt32.random(in: 0..<3_000, using: &random))
    }
    for child in children { #expect(try child.wait() == .exit(0), "\(child.text())") }
    try watcher.kill()
    let history = try History(writers: writers, watchers: [temporary.path("watcher")])
    #expect(try temporary.problems(with: history) == [])
    #expect(history.failures == [:])
    #expect(history.calls.count == 180)
  }
}
