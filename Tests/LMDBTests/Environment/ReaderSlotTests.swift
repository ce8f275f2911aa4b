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

  @Test func `one reader too many gets an error that names the limit`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.maximumReaders = 2 }
    let first = try environment.beginRead()
    let second = try environment.beginRead()
    #expect(throws: EnvironmentError.tooManyReaders(max: 2)) { _ = try environment.beginRead() }
    first.end()
    second.end()
    #expect(try environment.bytes(1) == nil)
  }

  @Test func `readers that were killed let the file grow no more than without them`() async throws {
    /// The file's length after `count` small changes, made while a reader is active if there is one.
    func size(_ shelf: Shelf, after count: Int) throws -> Int {
      let environment = try shelf.open()
      for number in 0..<count {
        try environment.write(durability: .none) { (transaction) throws(EnvironmentError) in
          for key in 0..<20 {
            let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 300)
            try transaction.put(value.span, forKey: UInt64(key), in: environment.numbers)
          }
        }
      }
      return try shelf.bytes().count
    }
    let alone = try Shelf()
    do { try alone.create().store([1]) }
    let reference = try size(alone, after: 1_000)

    let shelf = try Shelf()
    // It stays open, so that no open frees the slots.
    let environment = try shelf.create()
    try environment.store([1])
    for _ in 0..<3 {
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = shelf.path as String] in
        let snapshot = try Shelf(path: path).open(.readOnly).beginRead()
        kill(getpid(), SIGKILL)
        snapshot.end()
      }
    }
    #expect(try environment.readers().contains { $0.process != getpid() })
    // The slots are freed within 64 commits, each of which takes a few pages.
    #expect(try Double(size(shelf, after: 1_000)) <= 1.2 * Double(reference) + 64 * 8 * 4096)

    // A live reader does let it grow, so the comparison would notice.
    let held = try Shelf()
    let holder = try held.create()
    try holder.store([1])
    let snapshot = try holder.beginRead()
    let grown = try size(held, after: 1_000)
    snapshot.end()
    #expect(grown > 3 * reference)
    print("readers: \(reference) bytes without, \(grown) beside one that lives")
  }
}
