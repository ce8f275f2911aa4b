import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog

@Suite struct `A waiting line` {
  /// Serves `line` on a thread of its own until it is closed, and gives the groups that were taken.
  private func serve(
    _ line: WaitingLine<WaitingNumber>, gathering count: Int = 1, upTo patience: Int = 50_000_000,
    while fits: @escaping @Sendable (WaitingNumber) -> Bool = { _ in true },
    _ body: () async throws -> Void
  ) async throws -> [[WaitingNumber]] {
    let groups = Mutex<[[WaitingNumber]]>([])
    let thread = try WriterThread(name: "writer") {
      while line.waitForSome() {
        if count > 1 { line.gather(count, upTo: patience) }
        let group = line.take(while: fits)
        groups.withLock { $0.append(group) }
      }
    }
    try await body()
    line.close()
    thread.join()
    return groups.withLock { $0 }
  }

  @Test func `all are served in the order in which they came`() async throws {
    let line = WaitingLine<WaitingNumber>()
    let groups = try await serve(line) {
      for number in 0..<1000 { #expect(line.join(WaitingNumber(number)) != nil) }
    }
    #expect(groups.flatMap(\.self).map(\.number) == Array(0..<1000))
  }

  @Test func `a closed line accepts no more waiters`() {
    let line = WaitingLine<WaitingNumber>()
    line.close()
    line.close()
    #expect(line.join(1) == nil)
    #expect(!line.waitForSome())
  }

  @Test func `elements whose time is over are not served`() {
    let line = WaitingLine<WaitingNumber>()
    let now = ContinuousClock.now
    for number in 0..<10 {
      _ = line.join(WaitingNumber(number, until: now + .seconds(number % 2 == 1 ? number : 60 + number)))
    }
    #expect(line.expire(by: now) == [])
    #expect(line.expire(by: now + .seconds(9)) == [1, 3, 5, 7, 9])
    #expect(line.expire(by: now + .seconds(59)) == [])
    #expect(line.take { _ in true } == [0, 2, 4, 6, 8])
    line.rejoin([0, 2])
    _ = line.join(9)
    #expect(line.take { _ in true } == [0, 2, 9])
  }

  @Test func `a group ends before the first that does not fit, and has one at least`() {
    let line = WaitingLine<WaitingNumber>()
    for number in [9, 1, 2, 9, 3] { _ = line.join(WaitingNumber(number)) }
    #expect(line.take { $0.number < 5 } == [9, 1, 2])
    #expect(line.take { $0.number < 5 } == [9, 3])
    #expect(line.take { $0.number < 5 } == [])
  }

  @Test func `gathering waits for as many as are wanted`() async throws {
    let line = WaitingLine<WaitingNumber>()
    let groups = try await serve(line, gathering: 4, upTo: 20_000_000_000) {
      for number in 0..<4 {
        #expect(line.join(WaitingNumber(number)) != nil)
        try await Task.sleep(for: .milliseconds(2))
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(groups == [[0, 1, 2, 3]])
  }

  @Test func `gathering ends when its time is over`() async throws {
    let line = WaitingLine<WaitingNumber>()
    let groups = try await serve(line, gathering: 4) {
      #expect(line.join(1) != nil)
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(groups == [[1]])
  }

  @Test func `many threads may join at once`() async throws {
    let line = WaitingLine<WaitingNumber>()
    let groups = try await serve(line) {
      await withTaskGroup { group in
        for task in 0..<8 {
          group.addTask { for number in 0..<500 { _ = line.join(WaitingNumber(task * 500 + number)) } }
        }
      }
    }
    #expect(groups.flatMap(\.self).map(\.number).sorted() == Array(0..<4000))
  }

  @Test func `one that leaves by its ticket is gone once, and the others keep their places`() throws {
    let line = WaitingLine<WaitingNumber>()
    let tickets = try (0..<6).map { try #require(line.join(WaitingNumber($0))) }
    #expect(line.leave(tickets[2]) == 2)
    #expect(line.leave(tickets[2]) == nil)
    #expect(line.take { $0.number < 1 } == [0])
    #expect(line.leave(tickets[0]) == nil)
    line.rejoin([0])
    // A ticket that was taken is served.
    #expect(line.leave(tickets[0]) == nil)
    #expect(line.leave(tickets[5]) == 5)
    #expect(line.take { _ in true } == [0, 1, 3, 4])
  }

  @Test func `a hundred thousand leave in any order without looking at each other`() throws {
    let line = WaitingLine<WaitingNumber>()
    var tickets = try (0..<100_000).map { try #require(line.join(WaitingNumber($0))) }
    var random = SeededGenerator(seed: 13)
    tickets.shuffle(using: &random)
    let time = ContinuousClock().measure { for ticket in tickets { _ = line.leave(ticket) } }
    #expect(line.isEmpty)
    print("a waiting line: 100,000 left in \(time)")
    // Each look at all others would take minutes.
    #expect(time < .seconds(10))
  }
}

/// A line whose elements cost what they are, with room for ten.
@Suite struct `A line with little room` {
  private let line = WaitingLine<WaitingNumber>(room: 10)

  /// Lets a caller enter, and join with `number` when it is let in.
  private func visit(_ number: Int) -> Task<WaitingLine<WaitingNumber>.Entry, Never> {
    Task { [line] in
      let admission = await line.enter(within: .seconds(60))
      let entry = admission.entry
      if entry == .admitted { _ = line.join(WaitingNumber(number, cost: number)) }
      _ = consume admission
      return entry
    }
  }

  /// The numbers that wait, in order.
  private var elements: [Int] { line.elements.map(\.number) }

  /// Waits until `count` callers wait for room.
  private func wait(for count: Int) async throws {
    try await waitUntil { line.visitorCount == count }
  }

  @Test func `callers beyond the room wait, and enter in their order as others are taken`() async throws {
    for number in [4, 4, 4] { #expect(await visit(number).value == .admitted) }
    var visits: [Task<WaitingLine<WaitingNumber>.Entry, Never>] = []
    for (index, number) in [5, 6, 7].enumerated() {
      visits.append(visit(number))
      try await wait(for: index + 1)
    }
    #expect(elements == [4, 4, 4])
    #expect(line.take { $0.number < 0 } == [4])
    #expect(await visits[0].value == .admitted)
    #expect(elements == [4, 4, 5] && line.visitorCount == 2)
    #expect(line.take { _ in true } == [4, 4, 5])
    for visit in visits { #expect(await visit.value == .admitted) }
    #expect(elements.sorted() == [6, 7] && line.visitorCount == 0)
  }

  @Test func `an empty line has room for anything`() async {
    #expect(await visit(1_000).value == .admitted)
    #expect(elements == [1_000])
  }

  @Test func `a caller that is cancelled while it waits for room is let go`() async throws {
    #expect(await visit(20).value == .admitted)
    let (first, second) = (visit(1), visit(2))
    try await wait(for: 2)
    first.cancel()
    #expect(await first.value == .cancelled)
    _ = line.take { _ in true }
    #expect(await second.value == .admitted)
    #expect(elements == [2])
  }

  @Test func `a caller whose time is over is turned away`() async throws {
    #expect(await visit(20).value == .admitted)
    let waiting = visit(1)
    try await wait(for: 1)
    #expect(line.expire(by: .now) == [])
    #expect(line.visitorCount == 1)
    #expect(line.expire(by: .now + .seconds(61)) == [])
    #expect(await waiting.value == .expired && line.visitorCount == 0)
    #expect(elements == [20])
  }

  @Test func `one that is let in and joins with nothing leaves the room to the next`() async throws {
    #expect(await visit(20).value == .admitted)
    let idle = Task { [line] in await line.enter(within: .seconds(60)).entry }
    try await wait(for: 1)
    let next = visit(3)
    try await wait(for: 2)
    _ = line.take { _ in true }
    #expect(await idle.value == .admitted)
    #expect(await next.value == .admitted)
    #expect(elements == [3])
  }
  /// A task that waits for room, and keeps it until it is cancelled.
  private func keepRoom() -> Task<WaitingLine<WaitingNumber>.Entry, Never> {
    Task { [line] in
      let admission = await line.enter(within: .seconds(60))
      while !Task.isCancelled { await Task.yield() }
      return admission.entry
    }
  }

  @Test func `a thread does not wait for room that is reserved for a task`() async throws {
    #expect(await visit(20).value == .admitted)
    let task = keepRoom()
    try await wait(for: 1)
    let entered = Atomic(0)
    let thread = try WriterThread(name: "caller") { [line] in
      for _ in 0..<2 where line.enterBlocking(within: .seconds(60)).entry == .admitted {
        entered.add(1, ordering: .relaxed)
      }
    }
    try await wait(for: 2)
    // The thread comes a second time when nothing is in the queue, and the task still has its room.
    _ = line.take { _ in true }
    try await waitUntil { entered.load(ordering: .relaxed) == 2 }
    task.cancel()
    #expect(await task.value == .admitted)
    thread.join()
  }

  @Test func `all threads that wait enter once nothing is in the queue`() async throws {
    #expect(await visit(20).value == .admitted)
    let task = keepRoom()
    try await wait(for: 1)
    let entered = Atomic(0)
    let threads = try (0..<3).map { _ in
      try WriterThread(name: "caller") { [line] in
        if line.enterBlocking(within: .seconds(60)).entry == .admitted { entered.add(1, ordering: .relaxed) }
      }
    }
    try await wait(for: 4)
    // None of them joins the queue, so nothing but this can wake the others.
    _ = line.take { _ in true }
    try await waitUntil { entered.load(ordering: .relaxed) == 3 }
    task.cancel()
    #expect(await task.value == .admitted)
    for thread in threads { thread.join() }
  }
}
