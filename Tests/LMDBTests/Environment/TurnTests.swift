import LMDB
import Synchronization
import Testing

/// Who gets the turn at writing beside others.
@Suite struct TurnTests {
  @Test func `one that waits for so long at most has its turn beside three that never rest`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let isOver = Atomic(false)
    let turns = Atomic(0)
    // Locks that are opened anew exclude each other as those of processes do.
    let others = try (0..<3).map { _ in
      let locks = try shelf.locks()
      return try WriterThread(name: "other") {
        do {
          while !isOver.load(ordering: .relaxed) {
            let place = try locks.queue.lock(.exclusive)
            let turn = try locks.write.lock(.exclusive)
            _ = consume place
            // As a commit on a disk that is not the fastest.
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

  @Test func `one that waits gives up in time beside one that keeps its turn`() throws {
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
