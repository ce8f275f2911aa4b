import Synchronization
import Testing

@testable import Annals
@testable import AnnalsSubscriptions

/// The tasks that have had their turns, each with the time.
private final class Served: Sendable {
  private let state = Mutex<[(task: Int, at: Duration)]>([])

  var all: [(task: Int, at: Duration)] { state.withLock { $0 } }

  func add(_ task: Int, at time: Duration) { state.withLock { $0.append((task, time)) } }
}

/// The number of tasks that have the turn for each key.
private final class Holders: Sendable {
  private let state = Mutex<(counts: [DecisionKey: Int], overlaps: Int)>(([:], 0))

  /// How often a task got a turn for a key for which another one had it.
  var overlaps: Int { state.withLock { $0.overlaps } }

  func enter(_ keys: Set<DecisionKey>) {
    state.withLock { state in
      for key in keys {
        if state.counts[key, default: 0] > 0 { state.overlaps += 1 }
        state.counts[key, default: 0] += 1
      }
    }
  }

  func leave(_ keys: Set<DecisionKey>) {
    state.withLock { state in for key in keys { state.counts[key, default: 0] -= 1 } }
  }
}

/// Tasks that wait for their turns, by a scripted clock.
@Suite struct DecisionTurnsTests {
  private let turns = DecisionTurns()
  private let clock = ScriptedClock()

  /// Starts a task that takes a turn and does something in it, and waits until it is in line.
  private func join(
    _ keys: Set<DecisionKey>, within limit: Duration? = nil, _ body: @escaping @Sendable () async -> Void = {}
  ) async throws -> Task<Void, any Error> {
    let before = turns.count
    let task = Task { [turns, clock] in
      let turn = try await turns.take(keys, within: limit, by: clock)
      await body()
      _ = consume turn
    }
    try await waitUntil { turns.count > before }
    return task
  }

  @Test func `Sixty-four tasks have their turns in the order of arrival, and none waits for a later one`()
    async throws
  {
    let served = Served()
    let first = try await turns.take([.stream("a")], within: nil, by: clock)
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<64 {
      tasks.append(
        try await join([.stream("a")]) { [clock] in
          // The longest work comes first, so a line by length would reverse the order.
          try? await clock.sleep(for: .seconds(64 - number))
          served.add(number, at: clock.now.offset)
        })
    }
    #expect(served.all.isEmpty)
    _ = consume first
    var total = Duration.zero
    for number in 0..<64 {
      try await waitUntil { clock.sleeping == 1 }
      clock.advance(by: .seconds(64 - number))
      total += .seconds(64 - number)
      try await waitUntil { served.all.count == number + 1 }
      // A task waits exactly for the work of those that came before it.
      #expect(served.all[number].task == number && served.all[number].at == total)
    }
    for task in tasks { try await task.value }
    #expect(turns.count == 0)
  }

  @Test func `A cancelled task leaves the line at once and throws cancelled`() async throws {
    let first = try await turns.take([.stream("a")], within: nil, by: clock)
    let second = try await join([.stream("a"), .stream("b")])
    let third = try await join([.stream("b")])
    second.cancel()
    // The first turn has not ended.
    let error = await #expect(throws: AnnalsError.self) { try await second.value }
    #expect(error?.code == .cancelled && error?.message.contains("stream 'b'") == true)
    try await third.value
    #expect(turns.count == 1)
    _ = consume first
    #expect(turns.count == 0)
  }

  @Test func `A task that was cancelled before it waits does not wait`() async throws {
    let first = try await turns.take([.stream("a")], within: nil, by: clock)
    let task = Task { [turns, clock] in
      while !Task.isCancelled { await Task.yield() }
      _ = try await turns.take([.stream("a")], within: nil, by: clock)
    }
    task.cancel()
    let error = await #expect(throws: AnnalsError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(turns.count == 1)
    _ = consume first
  }

  @Test func `A caller may wait for ever`() async throws {
    let first = try await turns.take([.stream("a")], within: nil, by: clock)
    let second = Task { [turns] in
      _ = try await turns.take([.stream("a")], within: .seconds(Int64.max), by: .continuous)
    }
    try await waitUntil { turns.count == 2 }
    // The timer begins after the caller has joined the line.
    try await Task.sleep(for: .milliseconds(20))
    _ = consume first
    try await second.value
  }

  @Test func `A caller whose timeout passes leaves the line with busy, and later ones move up`() async throws
  {
    let first = try await turns.take([.stream("a")], within: nil, by: clock)
    let second = try await join([.stream("a"), .tag("course:1")], within: .seconds(5))
    let third = try await join([.tag("course:1")], within: .seconds(60))
    try await waitUntil { clock.sleeping == 2 }
    clock.advance(by: .seconds(4))
    #expect(turns.count == 3)
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: AnnalsError.self) { try await second.value }
    #expect(error?.code == .busy && error?.details.waited == .seconds(5))
    #expect(error?.message.contains("stream 'a'") == true && error?.recovery == [.retry])
    try await third.value
    // The timer of the third one ended with its wait.
    #expect(clock.sleeping == 0)
    _ = consume first
    #expect(turns.count == 0)
  }

  @Test(arguments: RunLength.seeds(4))
  func `Tasks for random keys that are cancelled, expire or finish are all answered, one at a time for a key`(
    seed: UInt64
  ) async throws {
    let holders = Holders()
    let turns = DecisionTurns()
    var generator = SeededGenerator(seed: seed)
    let plans = (0..<400).map { _ -> (keys: Set<DecisionKey>, limit: Duration?, isCancelled: Bool) in
      let keys = Set(
        (0..<Int.random(in: 1...3, using: &generator)).map { _ in
          DecisionKey.stream("s\(Int.random(in: 0..<6, using: &generator))")
        })
      let limit: Duration? =
        Bool.random(using: &generator) ? .microseconds(Int.random(in: 0..<3_000, using: &generator)) : nil
      return (keys, limit, Int.random(in: 0..<4, using: &generator) == 0)
    }
    let tasks = plans.map { plan in
      Task {
        let turn = try await turns.take(plan.keys, within: plan.limit, by: ContinuousClock())
        holders.enter(plan.keys)
        await Task.yield()
        holders.leave(plan.keys)
        _ = consume turn
      }
    }
    for (task, plan) in zip(tasks, plans) where plan.isCancelled { task.cancel() }
    var ended: [AnnalsError.Code?] = []
    for task in tasks {
      switch await task.result {
      case .success: ended.append(nil)
      case .failure(let error): ended.append((error as? AnnalsError)?.code ?? .damaged)
      }
    }
    #expect(ended.count == 400, "seed \(seed)")
    #expect(Set(ended).isSubset(of: [nil, .cancelled, .busy]), "seed \(seed)")
    #expect(holders.overlaps == 0, "seed \(seed)")
    #expect(turns.count == 0, "seed \(seed)")
  }
}
