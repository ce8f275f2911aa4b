import Foundation
import LMDB
import Testing

@Suite struct `Slots of readers` {
  @Test func `the slot of a killed reader is freed by a check`() async throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1])
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = shelf.path as String] in
      let snapshot = try Shelf(path: path).open().beginRead()
      kill(getpid(), SIGKILL)
      snapshot.end()
    }
    let stale = try environment.readers().filter { $0.process != getpid() && $0.transaction != nil }
    #expect(stale.count == 1)
    #expect(try environment.clearStaleReaders() == 1)
    #expect(try environment.readers().allSatisfy { $0.process == getpid() })
  }

  @Test func `a live reader is listed with its process and commit`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let snapshot = try environment.beginRead()
    let id = snapshot.id
    #expect(try environment.readers().contains { $0.process == getpid() && $0.transaction == id })
    snapshot.end()
  }

  @Test func `one reader too many is told the limit`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.maximumReaders = 2 }
    let first = try environment.beginRead()
    let second = try environment.beginRead()
    #expect(throws: EnvironmentError.tooManyReaders(max: 2)) { _ = try environment.beginRead() }
    first.end()
    second.end()
    #expect(try environment.bytes(1) == nil)
  }
}
