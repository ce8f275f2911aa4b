import Annals
import AnnalsLog
import AnnalsSchema
import AnnalsShapes
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsReplication

/// Messages of a program with faults: every machine decides all of them, and alike.
@Suite struct HostileMessageTests {
  /// What a store is after some messages, and the verdicts on their calls.
  private struct Outcome {
    var verdicts: [String] = []
    var entries: [String] = []
    var rows: [String] = []
    var hash = ""

    /// The first line that is not the same in another outcome; `nil` if there is none.
    func difference(from other: Outcome) -> String? {
      for (own, others) in [(verdicts, other.verdicts), (entries, other.entries), (rows, other.rows)] {
        if let pair = zip(own, others).first(where: { $0 != $1 }) { return "\(pair.0), or \(pair.1)" }
        if own.count != others.count { return "\(own.count) lines, or \(others.count)" }
      }
      return hash == other.hash ? nil : "the hash"
    }
  }

  /// Applies messages to a new store without a plan, in slices of the sizes that `size` draws.
  private static func apply(
    _ messages: [ReplicatedMessage], to url: URL, over log: any ReplicatedLog, _ size: () -> Int
  ) async throws -> Outcome {
    let (events, claim, _) = try await Joining(log, [], known: [], ClusterOptions()).run(
      at: url, Machine.options())
    let applier = try Applier(events, claim, [], nil)
    var outcome = Outcome()
    var rest = messages[...]
    while let first = rest.first {
      do throws(AnnalsError) {
        let applied = try applier.apply(rest.prefix(size())) { _ in false }
        #expect(applied.stop == nil)
        outcome.verdicts += applied.verdicts.map { "\($0.id): \($0.verdict)" }
        rest = rest.dropFirst(applied.count)
      } catch {
        Issue.record("no machine gets past message \(first.sequence) or one soon after: \(error)")
        break
      }
    }
    // Those on calls that came too late are at the end of a batch.
    outcome.verdicts.sort()
    outcome.entries = try events.lines()
    outcome.hash = applier.state.state.chain.description
    try events.read { (snapshot) throws(AnnalsError) in
      // The row of the state is not written for messages that change nothing.
      for (name, value) in try snapshot.reader.clusterRows() where name != MemberState.name {
        outcome.rows.append("\(name) \(value)")
      }
    }
    let findings = try EventLog.verify(url).findings
    #expect(findings.isEmpty)
    return outcome
  }

  @Test func `a call whose record types contradict each other is refused, and nothing waits for it`()
    async throws
  {
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let log = MemoryLog()
    let first = Machine(directory, "first", log.connect())
    let id = try await first.open().log.id
    first.close()
    func record(_ shape: String, _ stability: SchemaStability = .released) throws -> AppendRequest.Record {
      .init(
        type: ExactText("Noted"), version: SchemaVersion(1, 0, 0),
        shape: StoredShape(try RecordShape(parsing: shape)), stability: stability)
    }
    let pairs = [
      try [record("(mark: int64)"), record("(mark: int64?)")],
      try [record("(mark: int64)"), record("(mark: int64?)", .draft)],
      try [record("(mark: int64?)", .draft), record("(mark: int64)")],
    ]
    for records in pairs {
      var request = AppendRequest(time: 0)
      request.add("a", expecting: .any)
      for record in records { request.add(.init(record: record, payload: [0x81, 1])) }
      log.store(
        ClusterMessage.bytes(of: [try SharedCall(request, CommitID(id: UUID(), base: 1)).bytes], log: id))
    }
    let url = directory.url.appendingPathComponent("other.annals")
    let outcome = try await Self.apply(log.messages, to: url, over: log.connect()) { 10 }
    // A draft may be followed by its release.
    #expect(outcome.verdicts.count { $0.contains("shapeChanged") } == 2)
    #expect(outcome.entries.count == 2)
  }

  @Test func `a call that says it is of a later time is void on every machine, and so are its copies`()
    async throws
  {
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let log = MemoryLog()
    let first = Machine(directory, "first", log.connect())
    let id = try await first.open().log.id
    first.close()
    var request = AppendRequest(time: 0)
    request.add("a", expecting: .any)
    request.add(.init(record: .init(type: ExactText("Plain")), payload: [0xa0]))
    let sequence = UInt64(log.messages.count + 1)
    let early = try SharedCall(request, CommitID(id: UUID(), base: sequence))
    let good = try SharedCall(request, CommitID(id: UUID(), base: 1))
    for calls in [[early], [good], [early], [good, early]] {
      log.store(ClusterMessage.bytes(of: calls.map(\.bytes), log: id))
    }
    for size in 1...4 {
      let url = directory.url.appendingPathComponent("\(size).annals")
      let outcome = try await Self.apply(log.messages, to: url, over: log.connect()) { size }
      #expect(outcome.entries.count == 1, "\(size) messages at a time")
    }
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_HOSTILE_MESSAGES", usual: 3)))
  func `whatever a program publishes, every machine goes on, and all are alike`(seed: UInt64) async throws {
    print("hostile messages with seed \(seed)")
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let log = MemoryLog(seed: seed)
    let place = directory.url
    let first = Machine(directory, "first", log.connect())
    let id = try await first.open().log.id
    first.close()
    var source = try RandomMessages(id, seed: seed)
    for _ in 0..<400 { log.store(try source.next()) }
    let messages = log.messages
    let alone = try await Self.apply(
      messages, to: place.appendingPathComponent("alone.annals"), over: log.connect()
    ) { 1 }
    let whole = try await Self.apply(
      messages, to: place.appendingPathComponent("whole.annals"), over: log.connect()
    ) { messages.count }
    #expect(alone.difference(from: whole) == nil)
    var random = SeededGenerator(seed: seed)
    let mixed = try await Self.apply(
      messages, to: place.appendingPathComponent("mixed.annals"), over: log.connect()
    ) { Int.random(in: 1...40, using: &random) }
    #expect(alone.difference(from: mixed) == nil)
    #expect(alone.entries.count > 40)
  }
}
