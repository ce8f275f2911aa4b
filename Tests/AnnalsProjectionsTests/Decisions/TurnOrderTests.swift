import Testing

@testable import AnnalsSubscriptions

/// The order of turns, without any task.
@Suite struct TurnOrderTests {
  @Test func `Callers for one key have their turns in the order of arrival`() {
    var order = TurnOrder<String>()
    let first = order.join(["a"])
    let second = order.join(["a"])
    let third = order.join(["a"])
    let other = order.join(["b"])
    #expect([first.hasTurn, second.hasTurn, third.hasTurn, other.hasTurn] == [true, false, false, true])
    #expect(order.leave(first.ticket) == [second.ticket])
    #expect(order.leave(second.ticket) == [third.ticket])
    #expect(order.leave(third.ticket) == [])
    #expect(order.leave(other.ticket) == [])
    #expect(order.isEmpty)
  }

  @Test func `A caller for several keys has its turn once it is the first for each`() {
    var order = TurnOrder<String>()
    let (a, b) = (order.join(["a"]), order.join(["b"]))
    let both = order.join(["a", "b"])
    let later = order.join(["a"])
    #expect(!both.hasTurn && !later.hasTurn)
    #expect(order.leave(b.ticket) == [])
    #expect(order.leave(a.ticket) == [both.ticket])
    #expect(order.leave(both.ticket) == [later.ticket])
  }

  @Test func `A caller that leaves before its turn keeps nobody waiting`() {
    var order = TurnOrder<String>()
    let first = order.join(["a"])
    let second = order.join(["a", "b"])
    let third = order.join(["b"])
    let fourth = order.join(["a"])
    // The second one was the first for b.
    #expect(order.leave(second.ticket) == [third.ticket])
    #expect(order.leave(second.ticket) == [])
    #expect(order.leave(first.ticket) == [fourth.ticket])
  }

  @Test(arguments: RunLength.seeds(2_000, perRound: 200))
  func `In every history turns exclude each other, keep the order and leave nobody out`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      var order = TurnOrder<Int>()
      /// The callers in the order of arrival.
      var model: [(ticket: UInt64, keys: Set<Int>)] = []
      var granted: Set<UInt64> = []
      /// Returns the tickets that have their turns: those that share no key with an older one.
      func expected() -> Set<UInt64> {
        var taken: Set<Int> = []
        var turns: Set<UInt64> = []
        for caller in model {
          if taken.isDisjoint(with: caller.keys) { turns.insert(caller.ticket) }
          taken.formUnion(caller.keys)
        }
        return turns
      }
      for _ in 0..<80 {
        if model.isEmpty || Int.random(in: 0..<5, using: &generator) < 3 {
          let keys = Set(
            (0..<Int.random(in: 1...3, using: &generator)).map { _ in
              Int.random(in: 0..<5, using: &generator)
            })
          let (ticket, hasTurn) = order.join(keys)
          model.append((ticket, keys))
          if hasTurn { granted.insert(ticket) }
        } else {
          let caller = model.remove(at: Int.random(in: 0..<model.count, using: &generator))
          granted.remove(caller.ticket)
          let next = order.leave(caller.ticket)
          #expect(granted.isDisjoint(with: next), "seed \(seed)")
          granted.formUnion(next)
        }
        #expect(granted == expected(), "seed \(seed)")
        #expect(model.isEmpty || granted.contains(model[0].ticket), "seed \(seed)")
        #expect(order.count == model.count, "seed \(seed)")
      }
      while let oldest = model.first {
        model.removeFirst()
        granted.remove(oldest.ticket)
        granted.formUnion(order.leave(oldest.ticket))
        #expect(granted == expected(), "seed \(seed)")
      }
      #expect(order.isEmpty, "seed \(seed)")
    }
  }

  @Test func `A hundred thousand callers that leave from the middle cost no more than as many turns`() {
    var order = TurnOrder<Int>()
    let tickets = (0..<100_000).map { _ in order.join([1]).ticket }
    for ticket in tickets[1..<99_999].reversed() { #expect(order.leave(ticket) == []) }
    #expect(order.leave(tickets[0]) == [tickets[99_999]])
    #expect(order.count == 1)
  }
}
