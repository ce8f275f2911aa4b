import Annals
import FaultPrograms
import Foundation
import Testing

/// Subscribers and consumers in processes of their own.
@Suite struct ConsumerTests {
  private func ticks(_ numbers: Range<Int>) throws -> [NewEntry] {
    try numbers.map {
      NewEntry(
        type: "Ticked", version: SchemaVersion(1, 0, 0), payload: try Payload(["number": .init($0)]))
    }
  }

  @Test("an append here is given to a subscriber in another process within milliseconds")
  func otherProcess() async throws {
    let temporary = try TemporaryStore()
    let log = try EventLog(at: temporary.url, options: .relaxedCommits)
    try await log.append(ticks(0..<5), to: "ticks")
    let path = temporary.path("journal")
    let child = try Child.run("subscribe", temporary.url.path, path, "30")
    #expect(child.speaks())
    var begun: [UInt64] = []
    for number in 0..<30 {
      try await Task.sleep(for: .milliseconds(5))
      try await log.append(ticks(number..<number + 1), to: "ticks")
      begun.append(Journal.now)
      // A delay of the other process affects only one of them.
      let end = ContinuousClock.now + .seconds(60)
      while try Journal.lines(path: path).count <= number, ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    #expect(try child.wait() == .exit(0), "\(child.text())")
    let lines = try Journal.lines(path: path)
    #expect(lines.map { $0[1] } == (6...35).map { "\($0)" })
    let latencies = zip(begun, lines).map { Int64(bitPattern: (UInt64($1[2]) ?? 0) &- $0) }.sorted()
    // Two milliseconds by the watch; other tests have the processors too.
    #expect(latencies[15] < 1_000_000_000, "\(latencies[15]) ns")
  }

  @Test("a consumer that is killed again and again leaves nothing out, and its checkpoint is never ahead")
  func kills() async throws {
    let temporary = try TemporaryStore()
    let log = try EventLog(at: temporary.url, options: .relaxedCommits)
    var count = 1_500
    try await log.append(ticks(0..<count), to: "ticks")
    let path = temporary.path("journal")
    let seed = UInt64.random(in: 1...1_000_000)
    print("consumer kills, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var (kills, isDone) = (0, false)
    for _ in 0..<40 where !isDone {
      let child = try Child.run("consume", temporary.url.path, path)
      #expect(child.speaks())
      if kills > 0 { usleep(UInt32.random(in: 0..<25_000, using: &random)) }
      let end = try kills < 12 ? child.kill() : child.wait()
      if end == .signal(SIGKILL) { kills += 1 }
      isDone = end == .exit(0)
      if isDone, kills == 0 {
        // It was faster than the kill.
        try await log.append(ticks(count..<count + 1_500), to: "ticks")
        (count, isDone) = (count + 1_500, false)
      }
      let did = Set(try Journal.lines(path: path).compactMap { Int($0[1]) })
      let stored = Int(try log.checkpoint(of: "ticker")?.position.rawValue ?? 0)
      #expect(stored == 0 || did.isSuperset(of: 1...stored), "the checkpoint is at \(stored)")
    }
    #expect(isDone && kills > 0)
    let did = try Journal.lines(path: path).compactMap { Int($0[1]) }
    #expect(Set(did) == Set(1...count))
    #expect(try log.checkpoint(of: "ticker")?.position.rawValue == UInt64(count))
    // After each kill, at most the entries handled since the last checkpoint come again.
    #expect(did.count <= count + kills * 4)
  }

  @Test("two processes do not handle entries for one name at a time")
  func exclusion() async throws {
    let temporary = try TemporaryStore()
    let store = try EventStore(
      at: temporary.url, plan: TickPlan.self, options: .relaxedCommits)
    try await store.log.append(ticks(0..<1), to: "ticks")
    try await store.process("ticker", options: ProcessingOptions(endsAtHead: true)) { _ in
      let child = try Child.run("consume", temporary.url.path, temporary.path("journal"))
      #expect(try child.wait() == .exit(1))
      #expect(child.text().contains("busy"))
    }
    #expect(try Journal.lines(path: temporary.path("journal")).isEmpty)
  }

  @Test("a process that waits for its turn does not keep the generation before a pass open")
  func waiting() async throws {
    let temporary = try TemporaryStore()
    let store = try EventStore(
      at: temporary.url, plan: TickPlan.self, options: .relaxedCommits)
    try await store.log.append(ticks(0..<1), to: "ticks")
    try await store.process("ticker", options: ProcessingOptions(endsAtHead: true)) { _ in
      let child = try Child.run("stand-by", temporary.url.path)
      #expect(child.speaks())
      _ = try await store.log.compact().report()
      let end = ContinuousClock.now + .seconds(30)
      var removed: [UInt64] = []
      while removed.isEmpty, ContinuousClock.now < end {
        do throws(AnnalsError) { removed = try EventLog.discardPrevious(temporary.url).discarded } catch {
          #expect(error.code == .busy)
        }
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(removed == [1])
      #expect(try child.kill() == .signal(SIGKILL))
    }
  }
}

extension StoreOptions {
  /// Options of a store whose last commit a power cut may take.
  static var relaxedCommits: StoreOptions {
    var options = StoreOptions()
    options.durability = .relaxed
    return options
  }
}
