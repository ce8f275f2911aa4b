import AnnalsTestSupport
import Testing

@testable import AnnalsCluster

/// What a follower does with jumps and silence, without a server.
@Suite struct FollowMachineTests {
  @Test func `messages in order are taken`() {
    var machine = FollowMachine(after: 4, now: 0)
    machine.subscribed(now: 0)
    #expect(machine.received(sequence: 5, count: 1, now: 1) == .take)
    #expect(machine.received(sequence: 6, count: 2, now: 1) == .take)
    #expect(machine.applied == 6)
  }

  @Test func `a delivery that was lost on the way leads to a new subscription`() {
    var machine = FollowMachine(after: 0, now: 0)
    machine.subscribed(now: 0)
    #expect(machine.received(sequence: 1, count: 1, now: 0) == .take)
    #expect(machine.received(sequence: 3, count: 3, now: 0) == .subscribe)
    #expect(machine.applied == 1)
    machine.subscribed(now: 0)
    #expect(machine.received(sequence: 2, count: 1, now: 0) == .take)
  }

  @Test func `a jump is believed only if the broker lists what is missing`() {
    var machine = FollowMachine(after: 0, now: 0)
    machine.subscribed(now: 0)
    #expect(machine.received(sequence: 1, count: 1, now: 0) == .take)
    #expect(machine.received(sequence: 4, count: 2, now: 0) == .confirm)
    #expect(machine.confirmed(first: 1, removed: [2]) == .subscribe)
    #expect(machine.applied == 1)
    machine.subscribed(now: 0)
    #expect(machine.received(sequence: 4, count: 1, now: 0) == .confirm)
    #expect(machine.confirmed(first: 1, removed: [2, 3]) == .take)
    #expect(machine.applied == 4)
    #expect(machine.received(sequence: 5, count: 2, now: 0) == .take)
  }

  @Test func `messages before the first one of the log count as removed`() {
    var machine = FollowMachine(after: 0, now: 0)
    machine.subscribed(now: 0)
    #expect(machine.received(sequence: 1 << 40, count: 1, now: 0) == .confirm)
    #expect(machine.confirmed(first: 1 << 40, removed: []) == .take)
  }

  @Test func `a message that the broker has and skips five times is named`() {
    var machine = FollowMachine(after: 0, now: 0)
    for _ in 0..<FollowMachine.trust {
      #expect(machine.undelivered == nil)
      machine.subscribed(now: 0)
      #expect(machine.received(sequence: 2, count: 1, now: 0) == .confirm)
      #expect(machine.confirmed(first: 1, removed: []) == .subscribe)
    }
    #expect(machine.undelivered == 1)
  }

  @Test func `another message in the place of the last one is believed once it has stayed`() {
    var machine = FollowMachine(after: 3, now: 0, settling: 5_000_000_000)
    for second in 0...4 {
      machine.compared(isOther: true, now: second * 1_000_000_000)
      #expect(!machine.isOtherLog(now: second * 1_000_000_000))
    }
    #expect(machine.isOtherLog(now: 5_000_000_000))
    // A server that starts may have had it.
    machine.compared(isOther: false, now: 6_000_000_000)
    #expect(!machine.isOtherLog(now: 6_000_000_001))
    machine.compared(isOther: true, now: 7_000_000_000)
    machine.compared(isOther: true, now: 18_000_000_000)
    #expect(!machine.isOtherLog(now: 18_000_000_001))
  }

  @Test func `silence is asked about, and ends in a new subscription only if messages are there`() {
    var machine = FollowMachine(after: 0, now: 0)
    machine.subscribed(now: 0)
    #expect(machine.received(sequence: 1, count: 1, now: 0) == .take)
    #expect(!machine.isSilent(now: FollowMachine.patience - 1))
    #expect(machine.isSilent(now: FollowMachine.patience))
    #expect(machine.asked(last: 1, now: FollowMachine.patience) == .level)
    #expect(!machine.isSilent(now: FollowMachine.patience + 1))
    #expect(machine.asked(last: 3, now: FollowMachine.patience) == .confirm)
    #expect(machine.ended(first: 1, last: 3, removed: [3]) == true)
    #expect(machine.applied == 1)
    #expect(machine.ended(first: 1, last: 3, removed: [2, 3]) == false)
    #expect(machine.applied == 3)
  }

  @Test func `a log that has become shorter is reported, and the answer of an old leader is not`() {
    var machine = FollowMachine(after: 9, now: 0)
    machine.subscribed(now: 0)
    #expect(machine.asked(last: 5, now: 0) == .level)
    #expect(machine.asked(last: 9, now: 1) == .level)
    #expect(machine.asked(last: 5, now: 2) == .level)
    #expect(machine.asked(last: 5, now: FollowMachine.staleness + 1) == .level)
    #expect(machine.asked(last: 5, now: FollowMachine.staleness + 2) == .shorter)
  }

  /// A broker that loses deliveries, repeats messages and has holes, against the list of what it has.
  @Test(arguments: RunLength.seeds(200))
  func `no message is skipped or taken twice, regardless of losses, repeats and removed messages`(
    _ seed: UInt64
  ) {
    var generator = SeededGenerator(seed: seed)
    let end = UInt64.random(in: 1...60, using: &generator)
    let removed = Set(
      (1...end).filter { _ in Bool.random(using: &generator) && Bool.random(using: &generator) })
    let there = (1...end).filter { !removed.contains($0) }
    var machine = FollowMachine(after: 0, now: 0)
    var taken: [UInt64] = []
    var subscriptions = 0
    subscribing: while machine.applied < end, subscriptions < 10_000 {
      subscriptions += 1
      machine.subscribed(now: 0)
      var count: UInt64 = 0
      for sequence in there where sequence > machine.applied {
        count += 1
        // A loss on the way: the count goes on without the message.
        if Int.random(in: 0..<8, using: &generator) == 0 { continue }
        var step = machine.received(sequence: sequence, count: count, now: 0)
        if step == .confirm { step = machine.confirmed(first: there.first ?? end, removed: removed) }
        guard step == .take || step == .skip else { continue subscribing }
        if step == .take { taken.append(sequence) }
      }
      _ = machine.ended(first: 1, last: end, removed: removed)
    }
    #expect(taken == there, "seed \(seed)")
  }

  @Test func `a message that differs between servers for long is named, and one that was settled is not`() {
    var machine = FollowMachine(after: 4, now: 0)
    machine.subscribed(now: 0)
    machine.differed(at: 5, between: ["a", "b"], now: 0)
    #expect(machine.unsettled(now: 0) == nil)
    // Without a server to ask, nothing is known.
    #expect(machine.unsettled(now: FollowMachine.staleness) == nil)
    machine.differed(at: 5, between: ["b", "a"], now: FollowMachine.staleness)
    #expect(machine.unsettled(now: FollowMachine.staleness)?.sequence == 5)
    #expect(machine.unsettled(now: FollowMachine.staleness)?.servers == ["a", "b"])
    machine.differed(at: 5, between: ["b", "c"], now: FollowMachine.staleness)
    #expect(machine.unsettled(now: FollowMachine.staleness)?.servers == ["a", "b", "c"])
    #expect(machine.received(sequence: 5, count: 1, now: FollowMachine.staleness) == .take)
    #expect(machine.unsettled(now: FollowMachine.staleness) == nil)
    machine.differed(at: 6, between: ["a", "b"], now: FollowMachine.staleness)
    #expect(machine.unsettled(now: FollowMachine.staleness) == nil)
  }
}
