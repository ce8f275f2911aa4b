import AnnalsCoding
import Foundation
import Testing

@testable import AnnalsCluster

/// What is sent, sent again and reported, without a server.
@Suite struct PublishQueueTests {
  private let id = UUID()
  private let second = 1_000_000_000

  private func queue(deadline: Int) -> PublishQueue {
    var queue = PublishQueue()
    #expect(queue.add([1, 2], id: id, caller: 7, deadline: deadline) == true)
    return queue
  }

  @Test func `a message is sent once until its answer comes`() throws {
    var queue = queue(deadline: 9 * second)
    #expect(queue.next(now: 0)?.bytes == [1, 2])
    #expect(queue.next(now: 0) == nil)
    #expect(queue.advance(now: second, log: "l").count == 0)
    #expect(queue.next(now: second) == nil)
    let settled = queue.answered(id, .stored(12), now: second)
    #expect(settled.map(\.caller) == [7])
    #expect(try settled[0].result.get() == 12)
    #expect(queue.isEmpty)
  }

  @Test func `a try without an answer is repeated with the same bytes and id`() {
    var queue = queue(deadline: 60 * second)
    let first = queue.next(now: 0)
    #expect(queue.advance(now: PublishQueue.patience, log: "l").count == 0)
    let again = queue.next(now: PublishQueue.patience)
    #expect(first?.id == again?.id)
    #expect(first?.bytes == again?.bytes)
  }

  @Test(arguments: [10_076, 10_164, 10_008, 10_047, 0])
  func `an answer that may pass is followed by another try after a pause that grows`(_ code: UInt32) {
    var queue = queue(deadline: 60 * second)
    var now = 0
    var pauses: [Int] = []
    for _ in 0..<9 {
      #expect(queue.next(now: now) != nil)
      queue.sending(id)
      #expect(queue.answered(id, .failed(NATSFailure(.passing, "\(code)")), now: now).count == 0)
      let failed = now
      while queue.next(now: now) == nil {
        now += 1_000_000
        _ = queue.advance(now: now, log: "l")
        guard now - failed < second else { break }
      }
      pauses.append(now - failed)
      queue.sending(id)
      // It was taken by the loop; its failure is the next one.
      _ = queue.answered(id, .failed(NATSFailure(.passing, "\(code)")), now: now)
      _ = queue.advance(now: now + PublishQueue.pauses.longest, log: "l")
      now += PublishQueue.pauses.longest
    }
    #expect(pauses.first == PublishQueue.pauses.shortest)
    #expect(pauses.last == PublishQueue.pauses.longest)
    #expect(pauses == pauses.sorted())
  }

  @Test func `a deadline without a try says that nothing is stored, and one after a try that it may be`() {
    var never = queue(deadline: second)
    #expect(never.next(now: 0) != nil)
    never.postpone(id, NATSFailure(.passing, "no server is connected"), now: 0)
    let unsent = never.advance(now: second, log: "orders")
    #expect(unsent.count == 1)
    #expect(throws: Never.self) {
      guard case .failure(let error) = unsent[0].result else { throw CancellationError() }
      #expect(error.code == .unavailable)
      #expect(error.message.contains("'orders'"))
      #expect(error.message.contains("no server is connected"))
      #expect(error.message.contains("nothing is stored"))
    }
    var sent = queue(deadline: second)
    #expect(sent.next(now: 0) != nil)
    sent.sending(id)
    let unknown = sent.advance(now: second, log: "orders")
    #expect(throws: Never.self) {
      guard case .failure(let error) = try #require(unknown.first).result else { throw CancellationError() }
      #expect(error.code == .unavailable)
      #expect(error.message.contains("may still be stored"))
    }
    #expect(sent.isEmpty)
    #expect(sent.answered(id, .stored(3), now: second).count == 0)
  }

  @Test func `two callers of one message get one answer, and the deadline of one does not end the other`() {
    var queue = queue(deadline: second)
    #expect(queue.add([1, 2], id: id, caller: 8, deadline: 5 * second) == true)
    #expect(queue.add([1], id: id, caller: 9, deadline: 5 * second) == false)
    _ = queue.next(now: 0)
    #expect(queue.advance(now: second, log: "l").map(\.caller) == [7])
    #expect(queue.answered(id, .stored(4), now: 2 * second).map(\.caller) == [8])
  }

  @Test func `a message that is too long is refused at once`() {
    var queue = queue(deadline: 60 * second)
    _ = queue.next(now: 0)
    let settled = queue.answered(id, .failed(NATSFailure(.tooLong, "")), now: 0)
    #expect(settled.count == 1)
    #expect(queue.isEmpty)
    guard case .failure(let error)? = settled.first?.result else {
      Issue.record("no error")
      return
    }
    #expect(error.code == .tooLarge)
  }

  @Test func `a message that an earlier try may have stored is not refused for its length`() {
    var queue = queue(deadline: 60 * second)
    for _ in 0..<2 {
      let id = queue.next(now: 0)?.id ?? UUID()
      queue.sending(id)
      #expect(queue.answered(id, .failed(NATSFailure(.passing, "")), now: 0).isEmpty)
      _ = queue.advance(now: second, log: "l")
    }
    let id = queue.next(now: second)?.id ?? UUID()
    queue.sending(id)
    #expect(queue.answered(id, .failed(NATSFailure(.tooLong, "")), now: second).isEmpty)
    #expect(!queue.isEmpty)
  }

  @Test func `no more messages are sent than the window holds until one is answered`() throws {
    var queue = PublishQueue()
    let ids = (0...PublishQueue.window).map { _ in UUID() }
    for (number, id) in ids.enumerated() {
      let bytes = [UInt8(truncatingIfNeeded: number)]
      #expect(queue.add(bytes, id: id, caller: UInt64(number), deadline: second) == true)
    }
    for id in ids.dropLast() { #expect(queue.next(now: 0)?.id == id) }
    #expect(queue.next(now: 0) == nil)
    _ = queue.answered(ids[5], .stored(1), now: 0)
    #expect(queue.next(now: 0)?.id == ids.last)
    #expect(queue.close(log: "l").count == PublishQueue.window)
    #expect(queue.isEmpty)
  }
}
