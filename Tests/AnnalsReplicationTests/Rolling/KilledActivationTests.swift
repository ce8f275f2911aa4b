import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

/// Machines that are killed while they fold the inline projections that a message activates.
@Suite struct KilledActivationTests {
  private static let notes = 9_000

  /// The first entry, one in the second transaction or later, the last one, and the first one after the
  /// activation.
  @Test(arguments: [1, 6_000, notes, notes + 1])
  func `a machine that is killed while it folds begins or goes on there, and is equal to the others`(
    position: Int
  ) async throws {
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let log = MemoryLog()
    let first = SeatMachine(directory, "m1", log.connect())
    let old = try await first.open(1)
    let store = try await ClusterStore.open(
      at: directory.url.appendingPathComponent("writer.annals"), plan: SeatsPlan.self, log: log.connect(),
      options: Machine.options(), inline: [Bookings.self])
    for call in 0..<Self.notes / 300 {
      let events = (0..<300).map { SeatsV1.Event.noted(.init(mark: call * 300 + $0)) }
      try await store.store.append(events, to: StreamName("s\(call % 7)"))
    }
    store.leave()
    try await waitUntil { old.status()?.applied == UInt64(log.messages.count) }
    let program = try await first.open(2)
    #expect(try program.activate(true).isActivated)
    for mark in 0..<20 {
      _ = try await program.append(SeatWish(kind: .note, mark: mark), StreamName("s\(mark % 7)"))
    }
    let file = directory.url.appendingPathComponent("messages")
    try MessageFile.write(log.messages, to: file)
    let victim = SeatMachine(directory, "m2", log.connect())
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = victim.url.path as String, messages = file.path as String, position] in
      let log = MemoryLog()
      for message in try MessageFile.read(URL(fileURLWithPath: messages)) {
        log.store(message.bytes, time: message.time)
      }
      EvenNotes.observer.withLock { observer in
        observer = { if $0.rawValue == UInt64(position) { _ = Foundation.kill(getpid(), SIGKILL) } }
      }
      let program = try await SeatProgram.open(2, URL(fileURLWithPath: path), log.connect())
      try await waitUntil { program.status()?.applied == UInt64(log.messages.count) }
    }
    let left = try EventLog(at: victim.url, options: Self.reading).inlineProjections()
    let inForce = left.filter { $0.state == .live }.map { "\($0.name) \($0.version)" }
    #expect(inForce == (position > Self.notes ? ["bookings 2", "even-notes 1"] : ["bookings 1"]))
    let again = try await victim.open(2)
    try await waitUntil { again.status()?.applied == UInt64(log.messages.count) }
    #expect(again.status()?.hash == program.status()?.hash)
    #expect(try again.rows() == program.rows())
    #expect(try again.differences().isEmpty)
    #expect(try again.log().inlineProjections().map(\.state) == [.live, .live])
    #expect(try EventLog.verify(victim.url).findings.isEmpty)
  }

  private static var reading: StoreOptions {
    var options = StoreOptions()
    options.access = .readOnly
    return options
  }
}

/// The messages of a log in a file, for another process.
private enum MessageFile {
  static func write(_ messages: [ReplicatedMessage], to file: URL) throws {
    let lines = messages.map { "\($0.time) \(Data($0.bytes).base64EncodedString())" }
    try Data(lines.joined(separator: "\n").utf8).write(to: file)
  }

  static func read(_ file: URL) throws -> [(time: Int64, bytes: [UInt8])] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
      let parts = line.split(separator: " ")
      return (try need(Int64(parts[0])), Array(try need(Data(base64Encoded: String(parts[1])))))
    }
  }
}
