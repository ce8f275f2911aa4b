internal import AnnalsCoding
internal import Foundation
internal import LMDB
internal import Synchronization

/// The two threads that publish messages: one sends, and one tries again and keeps deadlines.
///
/// They are apart because a send may block on a server that does not read, and a deadline may not wait for
/// that.
final class Publisher: Sendable {
  private struct State: Sendable {
    var queue = PublishQueue()
    var waiting: [UInt64: @Sendable (Result<UInt64, AnnalsError>) -> Void] = [:]
    var callers: UInt64 = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  private let link: BrokerLink
  private let work = Signal()
  private let alarm = Signal()
  private let threads: Mutex<[WriterThread]> = Mutex([])

  init(_ link: BrokerLink) {
    self.link = link
  }

  /// Starts the threads.
  func start() throws(AnnalsError) {
    do throws(StoreFileError) {
      let sending = try WriterThread(name: "annals-publish") { self.send() }
      threads.withLock { $0.append(sending) }
      let keeping = try WriterThread(name: "annals-deadline") { self.keepDeadlines() }
      threads.withLock { $0.append(keeping) }
    } catch {
      throw AnnalsError(.inputOutput, "the system has no thread to publish with: \(error)")
    }
  }

  /// Publishes a message and waits for the answer.
  func publish(_ bytes: [UInt8], id: UUID, within limit: Duration) async throws(AnnalsError) -> UInt64 {
    let result = await withCheckedContinuation { continuation in
      publish(bytes, id: id, within: limit) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Publishes a message, and calls `receive` with the answer on any thread.
  func publish(
    _ bytes: [UInt8], id: UUID, within limit: Duration,
    _ receive: @escaping @Sendable (Result<UInt64, AnnalsError>) -> Void
  ) {
    let deadline = Clock.now + limit.wholeNanoseconds
    let (early, isFirst) = state.withLock { state -> (Result<UInt64, AnnalsError>?, Bool) in
      guard !state.isClosed else {
        let error = AnnalsError(
          .unavailable, "the shared log is closed; nothing was sent, so nothing is stored")
        return (.failure(error), false)
      }
      let isFirst = state.queue.isEmpty
      state.callers += 1
      guard state.queue.add(bytes, id: id, caller: state.callers, deadline: deadline) else {
        return (.failure(AnnalsError(.wrongUse, "two appends at once have the id \(id) and differ")), false)
      }
      state.waiting[state.callers] = receive
      return (nil, isFirst)
    }
    if let early { return receive(early) }
    work.announce()
    if isFirst { alarm.announce() }
  }

  /// Takes the answer to a try; called on a thread of the library.
  func answered(_ id: String, _ answer: PublishAnswer) {
    guard let id = UUID(uuidString: id) else { return }
    settle { $0.answered(id, answer, now: Clock.now) }
    // There may be room again for messages that wait.
    work.announce()
  }

  /// Settles all callers and lets the threads end.
  func close() {
    state.withLock { $0.isClosed = true }
    settle { $0.close(log: link.address.name.text) }
    work.announce()
    alarm.announce()
  }

  /// Waits until the threads have ended.
  func join() {
    for thread in threads.withLock({ $0 }) { thread.join() }
  }

  private var isClosed: Bool { state.withLock { $0.isClosed } }

  private func settle(_ change: (inout PublishQueue) -> [PublishQueue.Settled]) {
    let answers = state.withLock { state in
      change(&state.queue).map { (state.waiting.removeValue(forKey: $0.caller), $0.result) }
    }
    for (receive, result) in answers { receive?(result) }
  }

  private func send() {
    while !isClosed {
      let known = work.count
      guard let (id, bytes) = state.withLock({ $0.queue.next(now: Clock.now) }) else {
        work.wait(beyond: known, upTo: 1_000_000_000)
        continue
      }
      do throws(NATSFailure) {
        let connection = try link.connection(until: Clock.now + 200_000_000)
        // Without a server a message waits in the library, and would be sent after the deadline.
        guard connection.isConnected else { throw NATSFailure(.passing, "no server is connected") }
        state.withLock { $0.queue.sending(id) }
        let longest = connection.longestMessage
        guard longest == 0 || bytes.count + Self.headerSize <= longest else {
          throw NATSFailure(.tooLong, "\(longest) bytes")
        }
        do throws(NATSFailure) {
          try connection.publish(bytes, id: id.uuidString, to: link.address.name.subject)
        } catch {
          // It may have been written in part.
          settle { $0.answered(id, .failed(error), now: Clock.now) }
        }
      } catch {
        if error.kind == .tooLong {
          settle { $0.answered(id, .failed(error), now: Clock.now) }
        } else if let refusal = link.refusal {
          settle { $0.refused(id, error, by: refusal, now: Clock.now) }
        } else {
          state.withLock { $0.queue.postpone(id, error, now: Clock.now) }
        }
      }
    }
  }

  /// More than the bytes of the header with the id, which count for the server's limit.
  private static let headerSize = 96

  private func keepDeadlines() {
    while !isClosed {
      let known = alarm.count
      if state.withLock({ $0.queue.isEmpty }) {
        alarm.wait(beyond: known, upTo: 1_000_000_000)
        continue
      }
      WriterThread.pause(milliseconds: 10)
      settle { $0.advance(now: Clock.now, log: link.address.name.text) }
      work.announce()
    }
  }
}
