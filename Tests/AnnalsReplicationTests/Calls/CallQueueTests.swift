import AnnalsCoding
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsReplication

/// Which calls leave together, and when.
@Suite struct CallQueueTests {
  private func call(_ bytes: Int = 100, within limit: Duration = .seconds(10)) -> PendingCall {
    PendingCall(id: UUID(), .call(Array(repeating: 1, count: bytes)), deadline: .now + limit)
  }

  @Test func `a call leaves alone while there is a place, and those that wait leave together`() {
    var queue = CallQueue()
    for _ in 0..<CallQueue.places { #expect(queue.add(call()).count == 1) }
    let waiting = (0..<5).map { _ in call() }
    for call in waiting { #expect(queue.add(call).isEmpty) }
    #expect(queue.arrived(calls: 1).map(\.id) == waiting.map(\.id))
    #expect(queue.arrived(calls: 1).isEmpty)
    #expect(queue.arrived(calls: 5).isEmpty)
    for _ in 0..<CallQueue.places { #expect(queue.add(call()).count == 1) }
    #expect(queue.add(call()).isEmpty)
  }

  @Test func `next to many calls under way, others wait for their verdicts, unless they fill a message`() {
    var queue = CallQueue()
    _ = queue.add(call())
    _ = queue.add(call())
    let many = (0...CallQueue.few).map { _ in call() }
    for call in many { #expect(queue.add(call).isEmpty) }
    #expect(queue.arrived(calls: 2, in: 2).count == many.count)
    #expect(queue.add(call()).isEmpty)
    #expect(queue.add(call(CallQueue.limit.bytes)).map(\.content.bytes.count) == [100])
    #expect(queue.add(call(CallQueue.limit.bytes)).isEmpty)
    #expect(queue.arrived(calls: many.count).map(\.content.bytes.count) == [CallQueue.limit.bytes])
    #expect(queue.arrived(calls: 1).map(\.content.bytes.count) == [CallQueue.limit.bytes])
    #expect(queue.arrived(calls: 2, in: 2).isEmpty)
    for _ in 0..<CallQueue.few { _ = queue.add(call()) }
    #expect(queue.arrived(calls: 2, in: 2).count == 1)
    #expect(queue.add(call()).count == 1)
  }

  @Test func `calls that wait when verdicts are given wait for those callers as well`() {
    var queue = CallQueue()
    for _ in 0..<CallQueue.places { _ = queue.add(call()) }
    let first = call()
    #expect(queue.add(first).isEmpty)
    queue.expect(2)
    #expect(queue.arrived(calls: 2, in: 2).isEmpty && queue.holds == 1)
    let second = [call(), call()]
    #expect(queue.add(second[0]).isEmpty)
    // Verdicts for one caller, or for callers of other machines, change nothing.
    queue.expect(1)
    queue.expect(0)
    #expect(queue.add(second[1]).map(\.id) == ([first] + second).map(\.id))
  }

  @Test func `callers with verdicts of one batch leave together again, as soon as all are back`() {
    var queue = CallQueue()
    queue.expect(3)
    let calls = (0..<3).map { _ in call() }
    #expect(queue.add(calls[0]).isEmpty && queue.holds == 1)
    #expect(queue.add(calls[1]).isEmpty && queue.holds == 1)
    #expect(queue.add(calls[2]).map(\.id) == calls.map(\.id))
    #expect(queue.release(1).isEmpty)
    #expect(queue.add(call()).count == 1)
  }

  @Test func `a call waits for callers that do not come back no longer than a moment`() {
    var queue = CallQueue()
    queue.expect(3)
    let calls = (0..<2).map { _ in call() }
    for call in calls { #expect(queue.add(call).isEmpty) }
    #expect(queue.release(0).isEmpty)
    #expect(queue.release(1).map(\.id) == calls.map(\.id))
    // Nobody waits for one caller.
    queue.expect(1)
    #expect(queue.add(call()).count == 1)
  }

  @Test func `a message has no more calls and bytes than the limit, but one call of any size`() {
    var queue = CallQueue()
    for _ in 0..<CallQueue.places { _ = queue.add(call()) }
    let small = (0..<CallQueue.limit.calls + 1).map { _ in call(1) }
    let large = [call(200 << 10), call(100 << 10), call(600 << 10), call(1)]
    for call in small + large { #expect(queue.add(call).isEmpty) }
    #expect(queue.arrived(calls: 1).count == CallQueue.limit.calls)
    #expect(queue.arrived(calls: 1).map(\.content.bytes.count) == [1, 200 << 10])
    #expect(queue.arrived(calls: CallQueue.limit.calls).map(\.content.bytes.count) == [100 << 10])
    #expect(queue.arrived(calls: 2).map(\.content.bytes.count) == [600 << 10])
    #expect(queue.arrived(calls: 1).map(\.content.bytes.count) == [1])
    #expect(queue.arrived(calls: 1).isEmpty)
  }

  @Test func `messages become smaller if the log refuses them`() {
    var queue = CallQueue()
    for _ in 0..<CallQueue.places { _ = queue.add(call()) }
    queue.refused(bytes: 800)
    for _ in 0..<9 { _ = queue.add(call()) }
    #expect(queue.arrived(calls: 1).count == 4)
    #expect(queue.arrived(calls: 1).count == 4)
    #expect(queue.arrived(calls: 4).isEmpty)
    #expect(queue.arrived(calls: 4).count == 1)
  }

  @Test func `calls that are answered do not leave, and those that are late are taken out`() {
    var queue = CallQueue()
    for _ in 0..<CallQueue.places { _ = queue.add(call()) }
    let (answered, late, other) = (call(), call(within: .zero), call())
    for call in [answered, late, other] { _ = queue.add(call) }
    answered.answer(.failure(AnnalsError.noVerdict))
    #expect(queue.expire(now: .now).map(\.id) == [late.id])
    #expect(queue.arrived(calls: 1).map(\.id) == [other.id])
  }
}
