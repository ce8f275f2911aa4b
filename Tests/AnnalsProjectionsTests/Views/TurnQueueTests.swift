import Testing

@testable import AnnalsProjections

/// The turns of runners, without any thread.
struct TurnQueueTests {
  /// A queue at a time that only the test moves.
  private struct Clock {
    var queue = TurnQueue()
    var now = ContinuousClock.now

    mutating func add(_ runners: Int...) { for runner in runners { queue.add(runner) } }
    mutating func next() -> Int? { queue.next(at: now) }
    mutating func end(_ runner: Int, after time: Duration = .zero) {
      now += time
      queue.end(runner, at: now)
    }
    /// Starts as many threads as there is work for.
    mutating func start() -> Int {
      while queue.claimWorker() {}
      return queue.workers
    }
    /// Makes runners slow.
    mutating func slow(_ runners: Int...) {
      for runner in runners {
        add(runner)
        _ = next()
        end(runner, after: .seconds(2))
      }
    }
  }

  @Test func `Runners take turns in their order, and wait once each`() {
    var clock = Clock()
    clock.add(1, 2, 1)
    #expect(clock.next() == 1)
    // One that has a thread does not wait for another.
    clock.add(1, 3)
    #expect([clock.next(), clock.next(), clock.next()] == [2, 3, nil])
    clock.end(1)
    clock.add(1)
    #expect(clock.next() == 1)
    clock.queue.remove(1)
    clock.add(4)
    clock.queue.remove(4)
    #expect(clock.next() == nil)
  }

  @Test func `Threads start as runners wait, six at most`() {
    var clock = Clock()
    #expect(clock.start() == 0)
    clock.add(1, 2)
    #expect(clock.start() == 2)
    #expect(clock.next() == 1)
    #expect(clock.start() == 2)
    clock.add(3, 4, 5, 6, 7, 8)
    #expect(clock.queue.isCrowded)
    #expect(clock.start() == TurnQueue.mostWorkers)
  }

  @Test func `Five runners whose turns never end leave a thread to the others`() {
    var clock = Clock()
    clock.add(1, 2, 3, 4, 5)
    for number in 1...5 { #expect(clock.next() == number) }
    clock.now += .seconds(3_600)
    for round in 0..<20 {
      clock.add(10 + round)
      #expect(clock.start() == 6)
      #expect(clock.next() == 10 + round)
      clock.end(10 + round)
    }
  }

  @Test func `Slow runners leave the last thread to the others, except two of them`() {
    var clock = Clock()
    clock.slow(1, 2, 3, 4, 5, 6, 7)
    clock.add(1, 2, 3, 4, 5, 6, 7)
    _ = clock.start()
    for number in 1...5 { #expect(clock.next() == number) }
    #expect(clock.next() == nil)
    #expect(!clock.queue.isCrowded)
    clock.add(8)
    #expect(clock.queue.isCrowded || clock.queue.workers == 6)
    #expect(clock.next() == 8)
    clock.end(8)
    // A slow one that ends its turn makes room, and a short turn makes it one like the others.
    clock.end(1, after: .milliseconds(10))
    #expect(clock.next() == 6)
    clock.add(1)
    #expect(clock.next() == 1)
  }

  @Test func `Slow runners go on while threads are taken by others that never end`() {
    var clock = Clock()
    clock.slow(7)
    clock.add(1, 2, 3, 4, 5)
    for number in 1...5 { #expect(clock.next() == number) }
    clock.add(7)
    #expect(clock.next() == 7)
  }
}
