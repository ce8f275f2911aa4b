import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Testing

/// Machines that stop, because they may not go on: each says why, and serves nothing wrong.
@Suite struct StoppedMachineTests {
  @Test func `a machine that needs a newer program stops before the first event it cannot read`() async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machine = Machine(directory, "old", log.connect())
    try await machine.open()
    try await machine.store.append([.noted(.init(mark: 1))], to: "a")
    let url = directory.url.appendingPathComponent("new.annals")
    let new = try await ClusterStore.open(
      at: url, plan: NewSeatsPlan.self, log: log.connect(), options: Machine.options())
    try await new.waitUntil(1)
    try await new.store.append([.cleared(.init(mark: 2))], to: "a")
    try await waitUntil { machine.cluster?.status?.isStopped == true }
    #expect(machine.cluster?.status?.problem?.code == .newerSchema)
    #expect(machine.cluster?.status?.needs == SchemaVersion(2, 0, 0))
    do {
      // It reads what it has, and says for what it waits.
      let store = try machine.store
      #expect(try store.log.lines().count == 1)
      #expect(try EventLog.inspect(machine.url).cluster?.neededVersion == SchemaVersion(2, 0, 0))
      let refused = await #expect(throws: AnnalsError.self) {
        try await store.append([.noted(.init(mark: 3))], to: "a")
      }
      #expect(refused?.code == .newerSchema)
      #expect(refused?.details.version == SchemaVersion(2, 0, 0))
    }
    machine.close()
    let upgraded = try await ClusterStore.open(
      at: machine.url, plan: NewSeatsPlan.self, log: log.connect(), options: Machine.options())
    try await upgraded.waitUntil(2)
    #expect(try upgraded.store.log.lines() == new.store.log.lines())
  }

  @Test func `a machine stops at a message of a later format, and passes over bytes that are none`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machine = Machine(directory, "m", log.connect())
    try await machine.open()
    log.store([1, 2, 3])
    log.store(Array(repeating: 7, count: 100))
    try await machine.store.append([.noted(.init(mark: 1))], to: "a")
    var later: [UInt8] = [9, 0] + Array(repeating: 0, count: 16)
    later.append(littleEndian: Checksum.crc32c(later.span))
    log.store(later)
    try await waitUntil { machine.cluster?.status?.isStopped == true }
    #expect(machine.cluster?.status?.problem?.code == .needsNewer)
    #expect(machine.cluster?.status?.applied == UInt64(log.messages.count - 1))
    #expect(machine.cluster?.status?.needs == nil)
    let info = try EventLog.inspect(machine.url)
    #expect(info.cluster?.needsProgram == true)
    #expect(info.cluster?.neededVersion == nil)
  }

  @Test func `a kind of message that a library does not know stops it, in every format but the first`()
    async throws
  {
    for (format, kind) in [(2, 9), (2, 1), (3, 0)] as [(UInt8, UInt8)] {
      let directory = try TemporaryDirectory()
      let log = MemoryLog()
      let machine = Machine(directory, "m", log.connect())
      try await machine.open()
      func message(_ format: UInt8) -> [UInt8] {
        var bytes: [UInt8] = [format, kind] + Array(repeating: 0, count: 20)
        bytes.append(littleEndian: Checksum.crc32c(bytes.span))
        return bytes
      }
      // Void since the first version of the library.
      log.store(message(1))
      try await machine.store.append([.noted(.init(mark: 1))], to: "a")
      log.store(message(format))
      try await waitUntil { machine.cluster?.status?.isStopped == true }
      #expect(machine.cluster?.status?.problem?.code == .needsNewer)
      #expect(try machine.store.log.lines().count == 1)
    }
  }

  @Test func `a machine that differs from most stops, and says where`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machine = Machine(directory, "m", log.connect())
    let store = try await machine.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          for number in 0..<125 {
            try await store.append([.noted(.init(mark: number))], to: StreamName("w\(writer)"))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(machine.cluster?.status?.commits == 1_000)
    for _ in 0..<2 {
      let audit = Audit(machine: UUID(), commits: 1_000, position: 1_000, hash: CommitChain(low: 1, high: 2))
      log.store(try ClusterMessage(log: store.log.id, .audit(audit)).encoded())
    }
    try await waitUntil { machine.cluster?.status?.isStopped == true }
    let error = #expect(throws: AnnalsError.self) { _ = try machine.store }
    #expect(error?.code == .diverged)
    #expect(error?.details.position == 1_000)
  }

  @Test func `a machine does not follow the log of another cluster`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machine = Machine(directory, "m", log.connect())
    try await machine.open()
    machine.close()
    let other = MemoryLog()
    let stranger = Machine(directory, "n", other.connect())
    try await stranger.open()
    let moved = Machine(directory, "m", other.connect())
    // The machine may stop before its store is handed out.
    _ = try? await moved.open()
    try await waitUntil { moved.cluster?.status?.isStopped == true }
    #expect(moved.cluster?.status?.problem?.code == .foreign)
  }
}
