import Testing

@testable import AnnalsLog

@Suite struct `A queue with tickets` {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `random changes leave the same elements as in an array`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var queue = TicketQueue<WaitingNumber>()
    let start = ContinuousClock.now
    /// Those put before all others have no ticket.
    var model: [(ticket: UInt64?, element: WaitingNumber)] = []
    var gone: [UInt64] = []
    func make(_ number: Int) -> WaitingNumber {
      WaitingNumber(
        number, cost: number % 7, until: start + .seconds(Int.random(in: 1...1_000, using: &random)))
    }
    for step in 0..<600 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<6:
        // Now and then many, so that places are taken together and left empty.
        for _ in 0..<(step % 100 == 0 ? 200 : 1) {
          let element = make(step)
          model.append((queue.append(element), element))
        }
      case 6, 7:
        let first = queue.popFirst()
        #expect(first == model.first?.element, "seed \(seed), step \(step)")
        if !model.isEmpty { gone += model.removeFirst().ticket.map { [$0] } ?? [] }
      case 8, 9:
        guard let index = model.indices.randomElement(using: &random) else { break }
        guard let ticket = model[index].ticket else { break }
        let removed = queue.remove(ticket)
        #expect(removed == model.remove(at: index).element, "seed \(seed), step \(step)")
        gone.append(ticket)
      case 10:
        let now = start + .seconds(Int.random(in: 0...500, using: &random))
        let removed = queue.expire(by: now)
        let expired = model.filter { $0.element.deadline <= now }
        #expect(removed == expired.map(\.element), "seed \(seed), step \(step)")
        gone += expired.compactMap(\.ticket)
        model.removeAll { $0.element.deadline <= now }
      default:
        let elements = (0..<Int.random(in: 0...5, using: &random)).map { make(10_000 + step * 10 + $0) }
        queue.prepend(elements)
        model = elements.map { (nil, $0) } + model
      }
      if let ticket = gone.randomElement(using: &random) {
        let removed = queue.remove(ticket)
        #expect(removed == nil, "seed \(seed), step \(step)")
      }
      #expect(queue.elements == model.map(\.element), "seed \(seed), step \(step)")
      #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
      #expect(queue.cost == model.map(\.element.cost).sum(), "seed \(seed), step \(step)")
      if let earliest = model.map(\.element.deadline).min() {
        let next = try #require(queue.nextDeadline)
        #expect(next <= earliest, "seed \(seed), step \(step)")
      }
    }
  }

  @Test func `all that leave from either end give their places up`() {
    var queue = TicketQueue<WaitingNumber>()
    for reversed in [false, true] {
      let tickets = (0..<1_000).map { queue.append(WaitingNumber($0)) }
      for ticket in reversed ? tickets.reversed() : tickets { _ = queue.remove(ticket) }
      #expect(queue.isEmpty && queue.cost == 0 && queue.elements.isEmpty)
    }
  }
}
