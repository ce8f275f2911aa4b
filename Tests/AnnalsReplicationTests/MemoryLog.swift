import AnnalsCoding
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Synchronization

/// A log in memory that several machines share. Each has a connection of its own, with its faults.
final class MemoryLog: Sendable {
  /// How often a connection misbehaves, in parts of a thousand.
  struct Faults: Sendable {
    /// The message is lost, and its writer gets no answer.
    var lost = 0
    /// The message is stored, and its writer gets no answer.
    var unanswered = 0
    /// Another message is stored at the sequence that its writer gets, as after a crash of servers.
    var replaced = 0
    /// The message is stored twice.
    var twice = 0
    /// A copy of the message is stored again after some others.
    var late = 0
    /// The follower is disconnected after a batch.
    var cut = 0
    /// The follower gets messages again that it had.
    var again = 0
    /// The longest delay of an answer, in microseconds.
    var delay = 0
    /// The delay of each batch, in microseconds.
    var lag = 0
    /// The largest number of messages that the follower gets at a time.
    var batch = 200

    static let none = Faults()
    static let many = Faults(
      lost: 30, unanswered: 60, replaced: 5, twice: 60, late: 40, cut: 40, again: 100, delay: 2_000)
  }

  private struct State {
    var messages: [ReplicatedMessage] = []
    var late: [(after: Int, bytes: [UInt8])] = []
    var random: SeededGenerator
    var hasQuorum = true
    var listeners: [UUID: AsyncStream<[UInt8]>.Continuation] = [:]
  }

  private let state: Mutex<State>
  let seed: UInt64

  init(seed: UInt64 = 1) {
    self.seed = seed
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  /// All messages so far.
  var messages: [ReplicatedMessage] { state.withLock { $0.messages } }

  /// Whether messages are taken.
  func setQuorum(_ hasQuorum: Bool) { state.withLock { $0.hasQuorum = hasQuorum } }

  /// A connection of one machine.
  func connect(_ faults: Faults = .none) -> Connection { Connection(self, faults) }

  /// Stores bytes as the next message.
  @discardableResult
  func store(_ bytes: [UInt8], time: Int64? = nil) -> UInt64 {
    state.withLock { Self.store(bytes, time, &$0) }
  }

  private static func store(_ bytes: [UInt8], _ time: Int64?, _ state: inout State) -> UInt64 {
    let sequence = UInt64(state.messages.count + 1)
    // A new leader's clock may lag.
    let jitter = Int64(state.random.next() % 50_000) - 10_000
    state.messages.append(
      ReplicatedMessage(
        sequence: sequence, time: time ?? 1_700_000_000_000_000 + Int64(sequence) * 7_000 + jitter,
        bytes: bytes))
    let due = state.late.filter { $0.after <= state.messages.count }
    state.late.removeAll { $0.after <= state.messages.count }
    for copy in due { _ = store(copy.bytes, nil, &state) }
    return sequence
  }

  fileprivate func draw(_ limit: Int) -> Int {
    state.withLock { Int($0.random.next() % UInt64(max(limit, 1))) }
  }

  fileprivate func happens(_ thousandths: Int) -> Bool { draw(1_000) < thousandths }

  fileprivate func publish(_ bytes: [UInt8], _ faults: Faults) -> UInt64? {
    if happens(faults.lost) { return nil }
    // Bytes that are no message of a cluster are void.
    if happens(faults.replaced) { return store([0]) }
    let sequence = state.withLock { state -> UInt64? in
      guard state.hasQuorum else { return nil }
      return Self.store(bytes, nil, &state)
    }
    guard let sequence else { return nil }
    if happens(faults.twice) { store(bytes) }
    if happens(faults.late) {
      let after = draw(40)
      state.withLock { $0.late.append(($0.messages.count + 1 + after, bytes)) }
    }
    return happens(faults.unanswered) ? nil : sequence
  }

  fileprivate func erase(_ sequence: UInt64) {
    state.withLock { state in
      let old = state.messages[Int(sequence) - 1]
      state.messages[Int(sequence) - 1] = ReplicatedMessage(sequence: sequence, time: old.time, bytes: [])
    }
  }

  /// Returns at most `count` messages after a sequence.
  fileprivate func messages(after sequence: UInt64, _ count: Int) -> [ReplicatedMessage] {
    state.withLock { state in
      Array(state.messages.dropFirst(Int(sequence)).prefix(count))
    }
  }

  fileprivate func announce(_ bytes: [UInt8]) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(bytes) }
  }

  fileprivate func listen() -> (id: UUID, bytes: AsyncStream<[UInt8]>) {
    let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
    let id = UUID()
    state.withLock { $0.listeners[id] = continuation }
    return (id, stream)
  }

  fileprivate func endListening(_ id: UUID) { state.withLock { $0.listeners[id] = nil } }

  /// One machine's connection to the log.
  final class Connection: ReplicatedLog {
    struct Cut: Error {}

    private let log: MemoryLog
    private let faults: Faults
    private let cut = Atomic(false)
    private let queue = DispatchQueue(label: "messages")

    fileprivate init(_ log: MemoryLog, _ faults: Faults) {
      self.log = log
      self.faults = faults
    }

    /// Cuts the connection, or brings it back.
    func setCut(_ isCut: Bool) { cut.store(isCut, ordering: .releasing) }

    private var isCut: Bool { cut.load(ordering: .acquiring) }

    func publish(_ bytes: [UInt8], id: UUID, within limit: Duration) async throws(AnnalsError) -> UInt64 {
      await pause(log.draw(faults.delay))
      guard !isCut, let sequence = log.publish(bytes, faults) else {
        await pause(min(20_000, Int(limit.components.seconds) * 1_000_000 + 1_000))
        throw AnnalsError(.unavailable, "no answer")
      }
      await pause(log.draw(faults.delay))
      return sequence
    }

    func follow(
      after sequence: UInt64, pace: FollowPace,
      _ receive: @escaping @Sendable ([ReplicatedMessage]) throws -> Void
    ) async throws {
      var last = sequence
      while true {
        try Task.checkCancellation()
        await pause(faults.lag)
        let start = log.happens(faults.again) ? last - min(last, UInt64(log.draw(5))) : last
        let found = isCut ? [] : log.messages(after: start, 1 + log.draw(faults.batch))
        guard let newest = found.last, newest.sequence > last else {
          try await Task.sleep(for: .microseconds(500))
          continue
        }
        try await hand(found, to: receive)
        last = newest.sequence
        if log.happens(faults.cut) { throw Cut() }
      }
    }

    /// Hands messages over on a thread of their own, as a receiver may block.
    private func hand(
      _ messages: [ReplicatedMessage], to receive: @escaping @Sendable ([ReplicatedMessage]) throws -> Void
    ) async throws {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { continuation.resume(with: Result { try receive(messages) }) }
      }
    }

    func last(within limit: Duration) async throws(AnnalsError) -> UInt64 {
      guard !isCut else { throw AnnalsError(.unavailable, "no answer") }
      return UInt64(log.messages.count)
    }

    func erase(_ sequence: UInt64) async throws(AnnalsError) { log.erase(sequence) }

    func announce(_ bytes: [UInt8]) async { if !isCut { log.announce(bytes) } }

    func announcements(_ receive: @escaping @Sendable ([UInt8]) async -> Void) async {
      let (id, all) = log.listen()
      for await bytes in all where !isCut { await receive(bytes) }
      log.endListening(id)
    }

    private func pause(_ microseconds: Int) async {
      if microseconds > 0 { try? await Task.sleep(for: .microseconds(microseconds)) }
    }
  }
}
