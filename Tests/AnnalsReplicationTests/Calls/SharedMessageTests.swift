import Annals
import AnnalsLog
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsReplication

/// Messages with several calls, made by hand: what each machine makes of them.
@Suite struct SharedMessageTests {
  private static let noted = AppendRequest.Record(
    type: ExactText("Noted"), version: SchemaVersion(1, 0, 0), shape: shape, stability: .released)
  private static var shape: StoredShape? {
    (try? RecordShape(parsing: "(mark: int64)")).map { StoredShape($0) }
  }

  /// A call that appends one note.
  private func call(
    _ mark: UInt8, to stream: StreamName, expecting: Expected = .any, base: UInt64 = 1, id: UUID = UUID(),
    record: AppendRequest.Record = noted
  ) throws -> SharedCall {
    var request = AppendRequest(time: 0)
    request.add(stream, expecting: expecting)
    request.add(.init(record: record, payload: [0x81, mark]))
    return try SharedCall(request, CommitID(id: id, base: base))
  }

  private func marks(_ machine: Machine) throws -> [Int64?] {
    try machine.store.log.plainEvents().map(\.mark)
  }

  /// Opens a machine, which begins the log.
  private func begin(_ directory: TemporaryDirectory, _ log: MemoryLog) async throws -> (Machine, UUID) {
    let machine = Machine(directory, "m1", log.connect())
    try await machine.open()
    return (machine, try machine.store.log.id)
  }

  @Test func `a later call of a message sees the earlier ones, and a refused one stores nothing`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let (machine, id) = try await begin(directory, log)
    let calls = [
      try call(1, to: "a", expecting: .noStream), try call(2, to: "a", expecting: .noStream),
      try call(3, to: "a", expecting: .revision(0)), try call(4, to: "b", expecting: .exists),
      try call(5, to: "b"),
    ]
    log.store(try ClusterMessage(log: id, .calls(calls)).encoded())
    try await machine.catchUp(with: log)
    #expect(try marks(machine) == [1, 3, 5])
    #expect(machine.cluster?.status?.commits == 3)
    let times = Set(try machine.store.log.plainEvents().map(\.time))
    #expect(times.count == 1)
  }

  @Test func `positions and revisions that no log has are written as those that a message can have`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let (machine, _) = try await begin(directory, log)
    let store = try machine.store
    try await store.append(
      [.noted(.init(mark: 1))], to: "a", unless: EventQuery(tags: ["x"]), after: Position(.max))
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.noted(.init(mark: 2))], to: "a", expecting: .revision(Revision(.max)))
    }
    #expect(error?.code == .conflict)
  }

  @Test func `bytes that are no call are passed over alone, and a wrong number of calls with the message`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let (machine, id) = try await begin(directory, log)
    let (one, two) = (try call(1, to: "a").bytes, try call(2, to: "a").bytes)
    var long = two
    long.append(0)
    for group in [[one, [1, 2, 3], [], long, two], []] {
      log.store(Self.message(id, group, count: UInt64(group.count)))
    }
    log.store(Self.message(id, [try call(3, to: "a").bytes], count: 2))
    log.store(Self.message(id, [try call(4, to: "a").bytes, try call(5, to: "a").bytes], count: 1))
    let many = [[UInt8]](repeating: [], count: SharedCall.limit + 1)
    log.store(Self.message(id, many, count: UInt64(many.count)))
    try await machine.catchUp(with: log)
    #expect(try marks(machine) == [1, 2])
    #expect(machine.cluster?.status?.isStopped == false)
  }

  private static func message(_ log: UUID, _ calls: [[UInt8]], count: UInt64) -> [UInt8] {
    var bytes = ClusterMessage.Kind.calls.beginning(log)
    bytes.append(varint: count)
    for call in calls { bytes.append(counted: call) }
    bytes.append(littleEndian: Checksum.crc32c(bytes.span))
    return bytes
  }

  @Test func `a call is decided once, in whichever messages its copies are`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let (machine, id) = try await begin(directory, log)
    let calls = try (1...6).map { try call(UInt8($0), to: "a") }
    let groups: [[Int]] = [[0, 1, 1], [2, 0], [0], [3, 2, 1, 4], [4], [5, 5, 0]]
    for group in groups {
      log.store(ClusterMessage.bytes(of: group.map { calls[$0].bytes }, log: id))
      log.store(ClusterMessage.bytes(of: group.map { calls[$0].bytes }, log: id))
    }
    try await machine.catchUp(with: log)
    #expect(try marks(machine) == [1, 2, 3, 4, 5, 6])
    // After a restart, copies are recognised by the rows.
    try await machine.reopen()
    for group in groups { log.store(ClusterMessage.bytes(of: group.map { calls[$0].bytes }, log: id)) }
    try await machine.catchUp(with: log)
    #expect(try marks(machine) == [1, 2, 3, 4, 5, 6])
  }

  @Test func `a machine stops before a message of which it cannot read one call`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let (machine, id) = try await begin(directory, log)
    let newer = AppendRequest.Record(
      type: ExactText("Cleared"), version: SchemaVersion(2, 0, 0), shape: Self.shape, stability: .released)
    let calls = [try call(1, to: "a"), try call(2, to: "a", record: newer), try call(3, to: "a")]
    log.store(try call(9, to: "a").message(id))
    log.store(try ClusterMessage(log: id, .calls(calls)).encoded())
    try await waitUntil { machine.cluster?.status?.isStopped == true }
    #expect(machine.cluster?.status?.problem?.code == .newerSchema)
    #expect(try marks(machine) == [9])
    machine.close()
    let upgraded = try await ClusterStore.open(
      at: machine.url, plan: NewSeatsPlan.self, log: log.connect(), options: Machine.options())
    try await upgraded.waitUntil(4)
    #expect(try upgraded.store.log.plainEvents().map(\.mark) == [9, 1, 2, 3])
  }

  @Test func `stores are equal however shared messages fall into batches, also after restarts`() async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let (first, id) = try await begin(directory, log)
    var random = SeededGenerator(seed: 5)
    var earlier: [SharedCall] = []
    // More commits in 64 sequences than a row takes, and messages with one call between them.
    for number in 0..<400 {
      var calls: [SharedCall] = []
      for _ in 0..<(random.next() % 3 == 0 ? 1 : random.next() % 40 + 1) {
        if let copy = earlier.randomElement(using: &random), random.next() % 10 == 0 {
          calls.append(copy)
        } else {
          calls.append(try call(UInt8(number % 20), to: StreamName("s\(random.next() % 9)")))
        }
      }
      earlier += calls
      log.store(ClusterMessage.bytes(of: calls.map(\.bytes), log: id))
    }
    let small = Machine(directory, "m2", log.connect(.init(batch: 1)))
    let large = Machine(directory, "m3", log.connect(.init(batch: 2_000)))
    let broken = Machine(directory, "m4", log.connect(.init(batch: 20)))
    for machine in [small, large, broken] { try await machine.open() }
    while (broken.cluster?.status?.applied ?? 0) < UInt64(log.messages.count) { try await broken.reopen() }
    for machine in [first, small, large, broken] { try await machine.catchUp(with: log) }
    let expected = try first.clusterRows()
    #expect(expected.count > 20)
    for machine in [small, large, broken] {
      let rows = try machine.clusterRows()
      #expect(rows == expected)
      #expect(machine.cluster?.status?.hash == first.cluster?.status?.hash)
      #expect(try machine.store.log.lines() == first.store.log.lines())
    }
    #expect(ReferenceCluster(log.messages).events == (try first.store.log.plainEvents()))
  }

  @Test func `an erasure takes the messages away in which an erased event shared a place`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let (machine, id) = try await begin(directory, log)
    let (erased, kept) = (try call(1, to: "person"), try call(2, to: "other"))
    let (alone, later) = (try call(3, to: "other"), try call(4, to: "other"))
    let groups = [[kept, erased], [alone], [later, erased, kept], [later]]
    let sequences = groups.map { log.store(ClusterMessage.bytes(of: $0.map(\.bytes), log: id)) }
    try await machine.catchUp(with: log)
    #expect(try marks(machine) == [2, 1, 3, 4])
    try machine.store.erase(stream: "person", by: "test", because: "asked")
    try await machine.catchUp(with: log)
    #expect(try await need(machine.cluster).eraseMessages() == 2)
    let empty = log.messages.filter(\.bytes.isEmpty).map(\.sequence)
    #expect(empty == [sequences[0], sequences[2]])
  }
}

extension SharedCall {
  /// A message with this call alone.
  fileprivate func message(_ log: UUID) -> [UInt8] { ClusterMessage.bytes(of: [bytes], log: log) }
}

extension Machine {
  /// Closes the store and opens it again, as soon as the last batch has ended.
  fileprivate func reopen() async throws {
    close()
    try await open()
  }

  /// The rows of commits. The row of the machine's state depends on the audits that it has read.
  fileprivate func clusterRows() throws -> [String] {
    try store.log.read { (snapshot) throws(AnnalsError) in
      try snapshot.reader.clusterRows().filter { $0.name != MemberState.name }.map {
        "\($0.name) \($0.value)"
      }
    }
  }
}
