import LMDB
import Synchronization
import Testing

/// The order in which competing writers get the turn.
@Suite struct TurnTests {
  @Test func `a thread with a limited wait gets its turn among three that never rest`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let isOver = Atomic(false)
    let turns = Atomic(0)
    // Locks that are opened again exclude each other like those of processes.
    let others = try (0..<3).map { _ in
      let locks = try shelf.locks()
      return try WriterThread(name: "other") {
        do {
          while !isOver.load(ordering: .relaxed) {
            let place = try locks.queue.lock(.exclusive)
            let turn = try locks.write.lock(.exclusive)
            _ = consume place
            // Like a commit on a slow disk.
            WriterThread.pause(milliseconds: 2)
            _ = consume turn
            turns.add(1, ordering: .relaxed)
          }
        } catch {
          Issue.record(error)
        }
      }
    }
    defer {
      isOver.store(true, ordering: .relaxed)
      for other in others { other.join() }
    }
    while turns.load(ordering: .relaxed) < 20 { WriterThread.pause(milliseconds: 1) }
    for number in 0..<20 {
      guard let turn = try environment.turnIfFree(within: .seconds(30)) else {
        Issue.record("no turn in 30 s after \(number)")
        return
      }
      var transaction = try environment.beginWrite(turn)
      try transaction.put([2].span, forKey: 2, in: environment.numbers)
      try transaction.commit()
    }
    #expect(try environment.bytes(2) == [2])
  }

  @Test func `a waiting thread fails in time while another one keeps its turn`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let turn = try shelf.locks().write.lock(.exclusive)
    #expect(try !Self.isGiven(by: environment, within: .milliseconds(50)))
    _ = consume turn
    #expect(try Self.isGiven(by: environment, within: .zero))
  }

  private static func isGiven(by environment: Environment, within limit: Duration) throws -> Bool {
    guard let turn = try environment.turnIfFree(within: limit) else { return false }
    _ = consume turn
    return true
  }
}
