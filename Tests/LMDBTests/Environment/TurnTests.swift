import Foundation
import LMDB
import Testing

/// Who gets the turn at writing beside others.
@Suite struct TurnTests {
  /// A process that writes without a pause until there is a file 'stop'.
  private static func write(_ path: String) async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let environment = try Shelf(path: path).open()
      while !FileManager.default.fileExists(atPath: path + "/stop") {
        try environment.write { (transaction) throws(EnvironmentError) in
          // As a commit on a disk that is not the fastest.
          WriterThread.pause(milliseconds: 2)
          try transaction.put([1].span, forKey: 1, in: environment.numbers)
        }
      }
    }
  }

  @Test func `one that waits for so long at most has its turn beside three that never rest`() async throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let stop = URL(filePath: shelf.path + "/stop")
    try await withThrowingTaskGroup { group in
      for _ in 0..<3 { group.addTask { [path = shelf.path] in await Self.write(path) } }
      defer { try? Data().write(to: stop) }
      // Until all of them write.
      let begin = try environment.lastTransaction()
      while try environment.lastTransaction() < begin + 100 { try await Task.sleep(for: .milliseconds(2)) }
      for number in 0..<20 {
        guard let turn = try environment.turnIfFree(within: .seconds(30)) else {
          Issue.record("no turn in 30 s after \(number)")
          break
        }
        var transaction = try environment.beginWrite(turn)
        try transaction.put([2].span, forKey: 2, in: environment.numbers)
        try transaction.commit()
      }
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
