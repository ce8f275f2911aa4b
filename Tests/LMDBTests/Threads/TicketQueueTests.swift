import Testing

@testable import LMDB

@Suite struct `A queue with tickets` {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `random changes leave what an array would hold`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queue = TicketQueue<Int>()
    /// Those put before all others have no ticket.
    var model: [(ticket: UInt64?, element: Int)] = []
    var gone: [UInt64] = []
    for step in 0..<600 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<6:
        // Now and then many, so that places are taken together and left empty.
        for _ in 0..<(step % 100 == 0 ? 200 : 1) { model.append((queue.append(step, cost: step % 7), step)) }
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
        let divisor = Int.random(in: 2...9, using: &random)
        let removed = queue.removeAll { $0 % divisor == 0 }
        #expect(removed == model.map(\.element).filter { $0 % divisor == 0 }, "seed \(seed), step \(step)")
        gone += model.filter { $0.element % divisor == 0 }.compactMap(\.ticket)
        model.removeAll { $0.element % divisor == 0 }
      default:
        let count = Int.random(in: 0...5, using: &random)
        let elements = (0..<count).map { 10_000 + step * 10 + $0 }
        queue.prepend(elements) { $0 % 7 }
        model = elements.map { (nil, $0) } + model
      }
      if let ticket = gone.randomElement(using: &random) {
        let removed = queue.remove(ticket)
        #expect(removed == nil, "seed \(seed), step \(step)")
      }
      var elements: [Int] = []
      queue.forEach { elements.append($0) }
      #expect(elements == model.map(\.element), "seed \(seed), step \(step)")
      #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
      #expect(queue.cost == model.map { $0.element % 7 }.reduce(0, +), "seed \(seed), step \(step)")
    }
  }
}
