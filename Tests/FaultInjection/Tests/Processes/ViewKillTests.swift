import Annals
import FaultPrograms
import Foundation
import Testing

/// Processes that fold views and are killed at any moment.
@Suite(.serialized) struct ViewKillTests {
  @Test
  func `a process that is killed while it folds, rebuilds or switches leaves rows that equal a fresh fold`()
    async throws
  {
    let kills = RunLength.count("ANNALS_VIEW_KILLS", usual: 30)
    for seed in RunLength.seeds(kills, perRound: 30) {
      var random = SeededGenerator(seed: seed)
      let temporary = try TemporaryStore()
      let program = ViewProgram(temporary.url)
      try await program.append(3_000, seed: seed)
      var killed = 0
      for number in 0..<min(kills, 30) {
        let version = number / 10 + 1
        let rebuilds = Int.random(in: 0..<3, using: &random) > 0
        let appends = Bool.random(using: &random)
        let child = try Child.run(
          "view", temporary.url.path, "\(version)", "\(rebuilds)", "\(appends)",
          "\(seed * 1_000 + UInt64(number))")
        #expect(child.speaks(), "seed \(seed), \(number)")
        usleep(UInt32.random(in: 0..<60_000, using: &random))
        let end = try child.kill()
        if end == .signal(SIGKILL) { killed += 1 }
        #expect(end == .signal(SIGKILL), "seed \(seed), \(number): \(child.text())")
        // Sometimes the unfinished work is resumed by another process that is killed.
        if number % 10 == 9 || Int.random(in: 0..<4, using: &random) == 0 {
          #expect(try await program.problems(version) == [], "seed \(seed), \(number)")
        }
      }
      #expect(killed == min(kills, 30))
    }
  }

  @Test func `one process folds and others follow, and one of them takes over when it is killed`()
    async throws
  {
    let temporary = try TemporaryStore()
    let program = ViewProgram(temporary.url)
    try await program.append(200, seed: 3)
    let child = try Child.run("view", temporary.url.path, "1", "false", "true", "4")
    defer { _ = try? child.kill() }
    #expect(child.speaks())
    let store = try EventStore(at: temporary.url, plan: Club.self)
    func isFolded() throws -> Bool { try store.log.views().contains { $0.isFolded } }
    try await waitUntil { try isFolded() }
    let view = try store.view(Distances<ClubOne>.self)
    // The entries and rows of the other process are visible here.
    try await view.waitUntil(400, timeout: .seconds(120))
    let done = try await store.append([NewEvent(.walked(.init(who: "guest", metres: 5)))], to: "walks")
    try await view.waitUntil(done.positions[0], timeout: .seconds(120))
    #expect(
      try view.read { (snapshot) throws(AnnalsError) in try snapshot.get(ClubWalker.self, "guest")?.metres }
        == 5)
    _ = try child.kill()
    let later = try await store.append([NewEvent(.walked(.init(who: "guest", metres: 6)))], to: "walks")
    try await view.waitUntil(later.positions[0], timeout: .seconds(120))
    #expect(
      try view.read { (snapshot) throws(AnnalsError) in try snapshot.get(ClubWalker.self, "guest")?.metres }
        == 11)
    #expect(try isFolded())
    #expect(try await program.problems(1).filter { !$0.contains("guest") } == [])
  }

  @Test func `two processes with different versions each follow their own file`() async throws {
    let temporary = try TemporaryStore()
    let program = ViewProgram(temporary.url)
    try await program.append(200, seed: 5)
    let child = try Child.run("view", temporary.url.path, "1", "false", "true", "6")
    defer { _ = try? child.kill() }
    #expect(child.speaks())
    let store = try EventStore(at: temporary.url, plan: Club.self)
    try await waitUntil { try store.log.views().first?.state == .ready }
    let newer = try store.view(Distances<ClubTwo>.self)
    // Until it is built, the file of the other process serves.
    _ = try newer.read { (snapshot) throws(AnnalsError) in try snapshot.position() }
    try await waitUntil { try newer.status().servedVersion == 2 }
    for _ in 0..<5 {
      let head = try #require(try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() })
      try await newer.waitUntil(head, timeout: .seconds(120))
      let end = ContinuousClock.now + .seconds(120)
      while try (store.log.views().first { $0.version == 1 }?.position ?? 0) < head, ContinuousClock.now < end
      {
        try await Task.sleep(for: .milliseconds(2))
      }
      let views = try store.log.views()
      #expect(views.map(\.version) == [1, 2])
      #expect(views.allSatisfy { $0.isFolded && ($0.position ?? 0) >= head })
    }
  }
}
