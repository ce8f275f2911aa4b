import AnnalsCoding
@testable import AnnalsFormat
import AnnalsLog
import AnnalsReplication
import AnnalsSchema
@testable import AnnalsShapes
import AnnalsTestSupport
import Foundation
import Testing

@Suite struct MessageFormatTests {
  private static let log = UUID(uuidString: "11111111-2222-3333-4444-555555555555") ?? UUID()
  private static let id = UUID(uuidString: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee") ?? UUID()
  private static let time: Int64 = 1_700_000_000_000_000

  /// One message of each kind, with every field that a message can have.
  private static func samples() throws -> [(name: String, message: ClusterMessage)] {
    let commit = CommitID(id: id, base: 300)
    let shape = StoredShape(try RecordShape(parsing: "(mark: int64)"))
    var request = AppendRequest(time: time)
    request.add("stream-1", expecting: .revision(7))
    var event = AppendRequest.Event(
      record: .init(
        type: ExactText("Noted"), version: SchemaVersion(1, 2, 3), shape: shape, stability: .draft,
        oldestReader: SchemaVersion(1, 0, 0)),
      payload: [0x81, 0x05], id: id, metadata: [0xa1, 0x61, 0x61, 0x01], time: time - 5)
    event.tags = ["seat:1a", "seat:1b"]
    request.add(event)
    request.add(.init(record: .init(type: ExactText("Plain")), payload: [0xa0]))
    request.add("stream-2", expecting: .noStream)
    let query = SharedQuery([
      .init(
        types: [
          .init(name: ExactText("Noted"), versions: .only(SchemaVersion(1, 2, 3))),
          .init(name: ExactText("Plain"), versions: .none), .init(name: ExactText("Plain"), versions: .all),
        ], newerThan: SchemaVersion(2, 0, 0), tags: ["seat:1a"]),
      .init(types: nil, tags: []),
    ])
    request.conditions = [query.condition(after: 12), query.condition(after: nil)]
    func change(_ work: LogChange.Work, stream: String? = nil) -> ClusterMessage.Body {
      var change = LogChange(work, author: "author", reason: "reason")
      change.erasedStream = stream.map { (StreamName($0), 4) }
      return .change(change, commit)
    }
    let bodies: [(String, ClusterMessage.Body)] = [
      (
        "genesis",
        .genesis(Genesis(window: 64, rules: [.init(name: "bookings", version: 1)]))
      ),
      ("append", .append(request, commit)),
      ("close", change(.limit(.close("a")))),
      ("reopen", change(.limit(.reopen("a")))),
      ("truncate", change(.limit(.truncate([("a", 5), ("b", nil)])))),
      ("erase", change(.erase([1, 2, 3, 9]), stream: "a")),
      (
        "retain",
        change(
          .retain(
            RetentionRule(streamPrefix: "log-", maximumCount: 10, maximumAge: .seconds(60)),
            isRemoved: false))
      ),
      (
        "audit",
        .audit(Audit(machine: id, commits: 1_000, position: 3_000, hash: CommitChain(low: 1, high: 2)))
      ),
    ]
    return bodies.map { ($0.0, ClusterMessage(log: log, $0.1)) }
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
  }

  /// The messages of the second format.
  private static func laterSamples() throws -> [(name: String, message: ClusterMessage)] {
    let commit = CommitID(id: id, base: 300)
    func roll(_ kind: RolloutStep.Kind, _ stability: SchemaStability) -> ClusterMessage {
      let step = RolloutStep(kind, SchemaVersion(2, 300, 1), stability)
      return ClusterMessage(log: log, .change(LogChange(.roll(step), author: "", reason: ""), commit))
    }
    let calls = try samples().compactMap { sample -> SharedCall? in
      guard case .append(let request, let commit) = sample.message.body else { return nil }
      return try SharedCall(request, commit)
    }
    var second = AppendRequest(time: time)
    second.add("stream-3", expecting: .exists)
    second.add(.init(record: .init(type: ExactText("Plain")), payload: [0xa0]))
    let other = UUID(uuidString: "99999999-8888-7777-6666-555555555555") ?? UUID()
    let shared = calls + [try SharedCall(second, CommitID(id: other, base: 2))]
    let activation = RolloutStep(
      .activate, SchemaVersion(2, 300, 1), .released,
      RuleSwitch(
        begins: [RuleVersion(name: "bookings", version: 2), RuleVersion(name: "names", version: 300)],
        ends: [RuleVersion(name: "limits", version: 1)]))
    let rules = [RetentionRule(streamPrefix: "log-", maximumCount: 10), RetentionRule(streamPrefix: "log-a")]
    let retained = RetainedStreams(
      rules: RetentionRule.encoded(rules), streams: [("log-1", 5, 300), ("log-2", 700, 1)])
    let retention = LogChange(.limit(.retain(retained)), author: "author", reason: "reason")
    return [
      ("activate", roll(.activate, .bridge)), ("contract", roll(.contract, .released)),
      ("calls", ClusterMessage(log: log, .calls(shared))),
      (
        "activation",
        ClusterMessage(log: log, .change(LogChange(.roll(activation), author: "", reason: ""), commit))
      ), ("retention", ClusterMessage(log: log, .change(retention, commit))),
    ]
  }

  @Test(arguments: [1, 2]) func `messages have the bytes of the golden file`(format: Int) throws {
    let golden = URL(filePath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Golden/messages-\(format).txt")
    let samples = try format == 1 ? Self.samples() : Self.laterSamples()
    let lines = try samples.map { "\($0.name) \(hexadecimal(try $0.message.encoded()))" }
    let stored = try String(contentsOf: golden, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(lines == stored)
  }

  @Test func `a message that is read and written again has the same bytes`() throws {
    for (name, message) in try Self.samples() + Self.laterSamples() {
      let bytes = try message.encoded()
      guard case .message(let read) = DecodedMessage(bytes, time: Self.time, ShapeMemory()) else {
        Issue.record("\(name) is not read")
        continue
      }
      #expect(try read.encoded() == bytes, "\(name)")
    }
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_CLUSTER_FUZZ", usual: 4)))
  func `changed bytes are no message, or a message, and never the end of the program`(seed: UInt64) throws {
    print("changed messages with seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let originals = try (Self.samples() + Self.laterSamples()).map { try $0.message.encoded() }
    let shapes = ShapeMemory()
    var (read, void) = (0, 0)
    for _ in 0..<20_000 {
      var bytes = originals[Int(random.next() % UInt64(originals.count))]
      bytes.removeLast(4)
      for _ in 0...random.next() % 4 {
        let place = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 4 {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes[place] ^= 1 << (random.next() % 8)
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int(random.next() % 8)))
        default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        }
        if bytes.count < 20 { break }
      }
      // With a wrong checksum, nothing after it would be tested.
      bytes.append(littleEndian: Checksum.crc32c(bytes.span))
      switch DecodedMessage(bytes, time: Self.time, shapes) {
      case .message(let message):
        read += 1
        // A message that was read can be written, and is read again.
        let again = try message.encoded()
        guard case .message = DecodedMessage(again, time: Self.time, shapes) else {
          Issue.record("a message that was read is not read again")
          continue
        }
      case .void: void += 1
      case .later(let format): #expect(format > 1)
      }
    }
    #expect(read > 100)
    #expect(void > 1_000)
  }

  @Test func `bytes without the right checksum are no message`() throws {
    for (_, message) in try Self.samples() {
      var bytes = try message.encoded()
      for place in bytes.indices {
        bytes[place] ^= 0x10
        guard case .void = DecodedMessage(bytes, time: 0, ShapeMemory()) else {
          Issue.record("byte \(place) changes nothing")
          return
        }
        bytes[place] ^= 0x10
      }
      guard case .void = DecodedMessage(Array(bytes.dropLast()), time: 0, ShapeMemory()) else {
        Issue.record("the last byte changes nothing")
        return
      }
    }
  }
}
