import Foundation
import LMDB
import Testing

/// A writer that was killed after it wrote its meta page, and before it published the commit's number.
@Suite struct `A writer that was killed in its commit` {
  /// Leaves the state of such a writer from a process of its own, while another process has the file open.
  private func killWriter(_ shelf: Shelf) async {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = shelf.path as String] in
      let shelf = try Shelf(path: path)
      let environment = try shelf.open()
      try environment.store([1], [2])
      var number = try environment.lastTransaction() - 1
      // It dies with LMDB's mutex.
      let transaction = try environment.beginWrite()
      // In the lock file, the last commit's number follows two marks and the readers' mutex (`MDB_txbody`).
      let file = unsafe open(path + "/" + Shelf.file + "-lock", O_RDWR)
      let count = unsafe pwrite(file, &number, 8, 48)
      try #require(count == 8)
      kill(getpid(), SIGKILL)
      transaction.abort()
    }
  }

  @Test func `keeps no process from opening the file for writing, and its commit is there`() async throws {
    let shelf = try Shelf()
    let other = try shelf.create()
    await killWriter(shelf)
    await #expect(processExitsWith: .success) { [path = shelf.path as String] in
      let environment = try Shelf(path: path).open()
      #expect(try environment.bytes(2) == [2])
      try environment.store([3])
    }
    #expect(try other.bytes(1) == [3])
  }

  @Test func `keeps no process from opening the file for reading`() async throws {
    let shelf = try Shelf()
    let other = try shelf.create()
    await killWriter(shelf)
    await #expect(processExitsWith: .success) { [path = shelf.path as String] in
      let environment = try Shelf(path: path).open(.readOnly)
      // The unpublished commit appears with the next writer.
      #expect(try environment.bytes(1) == [1])
    }
    try other.write { (transaction) throws(EnvironmentError) in
      try transaction.put([4].span, forKey: 4, in: other.numbers)
    }
    #expect(try other.bytes(2) == [2])
    #expect(try other.bytes(4) == [4])
  }
}
