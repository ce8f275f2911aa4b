import Foundation
import LMDB
import Synchronization
import Testing

/// LMDB's environment closed and opened again while it is in use.
@Suite struct `Reopening an environment` {
  private static let long = Duration.seconds(10)
  private static let short = Duration.milliseconds(50)

  /// The first byte of the first value in a snapshot.
  private static func first(_ snapshot: borrowing ReadTransaction, _ environment: Environment) throws
    -> UInt8?
  {
    guard let value = try snapshot.value(forKey: 1, in: environment.numbers) else { return nil }
    return value[0]
  }

  @Test func `stored values are there, and more can be stored`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1], [2])
    #expect(try environment.reopen(within: Self.long))
    #expect(try environment.bytes(2) == [2])
    try environment.store([3])
    #expect(try environment.bytes(1) == [3])
    let opened = try shelf.open()
    #expect(opened === environment)
  }

  @Test func `another process reads and writes at the same time`() async throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1])
    #expect(try environment.reopen(within: Self.long))
    await #expect(processExitsWith: .success) { [path = shelf.path as String] in
      let environment = try Shelf(path: path).open()
      #expect(try environment.bytes(1) == [1])
      try environment.store([4])
      #expect(try environment.reopen(within: Self.long))
      #expect(try environment.bytes(1) == [4])
    }
    #expect(try environment.bytes(1) == [4])
    try environment.store([5])
    #expect(try environment.bytes(1) == [5])
  }

  @Test func `the map stays at least as large as it has grown`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.mapSize = 1 << 20 }
    for _ in 0..<3 {
      do { try environment.store([UInt8](repeating: 7, count: 3_000_000)) } catch let error
        as EnvironmentError where error.code == LMDBError.mapFull
      { continue }
      break
    }
    let size = try environment.info().mapSize
    try #require(size > 3_000_000)
    #expect(try environment.reopen(within: Self.long))
    #expect(try environment.info().mapSize >= size)
    #expect(try environment.mapSize == environment.info().mapSize)
  }

  @Test func `a live snapshot is waited for, and reads on until it ends`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1])
    let hasBegun = Atomic(false)
    let hasEnded = Atomic(false)
    let reader = try WriterThread(name: "reader") {
      do {
        try environment.read { (snapshot) throws(EnvironmentError) in
          hasBegun.store(true, ordering: .releasing)
          WriterThread.pause(milliseconds: 300)
          let value = try snapshot.value(forKey: 1, in: environment.numbers)
          if value?[0] != 1 { Issue.record("another value") }
          hasEnded.store(true, ordering: .releasing)
        }
      } catch { Issue.record(error) }
    }
    while !hasBegun.load(ordering: .acquiring) { WriterThread.pause(milliseconds: 1) }
    #expect(try environment.reopen(within: Self.long))
    let wasOver = hasEnded.load(ordering: .acquiring)
    #expect(wasOver)
    reader.join()
    #expect(try environment.bytes(1) == [1])
  }

  @Test func `a snapshot that does not end in time leaves everything as it is`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1])
    let snapshot = try environment.beginRead()
    #expect(try !environment.reopen(within: Self.short))
    try environment.store([2])
    #expect(try environment.bytes(1) == [2])
    #expect(try Self.first(snapshot, environment) == 1)
    snapshot.end()
    #expect(try environment.reopen(within: Self.long))
    #expect(try environment.bytes(1) == [2])
  }

  @Test func `waiting for another process that opens the file ends at the given time`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1])
    let hold = try shelf.locks().open.lock(.exclusive)
    #expect(try !environment.reopen(within: Self.short))
    #expect(try environment.bytes(1) == [1])
    _ = consume hold
    #expect(try environment.reopen(within: Self.long))
  }

  @Test func `readers, writers and questions meanwhile notice nothing`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1, 1])
    let isDone = Atomic(false)
    let rounds = Atomic(0)
    let bodies: [@Sendable () throws -> Void] = [
      { if try environment.bytes(1)?.count != 2 { Issue.record("another value") } },
      { try environment.store([2, 2]) },
      {
        _ = try environment.info()
        _ = try environment.readers()
        try environment.clearStaleReaders()
        try environment.synchronize()
      },
      {
        var snapshot = try environment.beginRead()
        for _ in 0..<10 {
          try snapshot.renew()
          let value = try snapshot.value(forKey: 1, in: environment.numbers)
          if value?.count != 2 { Issue.record("another value") }
        }
      },
    ]
    let threads = try bodies.map { body in
      try WriterThread(name: "user") {
        do {
          while !isDone.load(ordering: .relaxed) {
            try body()
            rounds.add(1, ordering: .relaxed)
          }
        } catch { Issue.record(error) }
      }
    }
    let end = ContinuousClock.now + .seconds(120)
    var reopenings = 0
    while reopenings < 50 || rounds.load(ordering: .relaxed) < 100, ContinuousClock.now < end {
      #expect(try environment.reopen(within: Self.long))
      reopenings += 1
    }
    isDone.store(true, ordering: .relaxed)
    for thread in threads { thread.join() }
    let count = rounds.load(ordering: .relaxed)
    #expect(count >= 100)
    #expect(try environment.readers().allSatisfy { $0.transaction == nil })
  }

  @Test func `a lock file that was removed is an error, and closes nothing`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1])
    try shelf.directory.remove("queue.lock")
    #expect(throws: EnvironmentError.file(.lockFileDamaged(file: "queue.lock"))) {
      try environment.reopen(within: Self.long)
    }
    #expect(try environment.bytes(1) == [1])
  }

  @Test func `a file that cannot be opened again is an error at each use, until it can`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1])
    let lock = shelf.path + "/" + Shelf.file + "-lock"
    // Another name for it, by which it could be reached from outside.
    try FileManager.default.linkItem(atPath: lock, toPath: lock + "-2")
    #expect(throws: EnvironmentError.file(.linked(file: Shelf.file + "-lock", links: 2))) {
      try environment.reopen(within: Self.long)
    }
    let error = #expect(throws: EnvironmentError.self) { try environment.bytes(1) }
    #expect(error?.code == LMDBError.panic)
    #expect(throws: EnvironmentError.self) { try environment.info() }
    try FileManager.default.removeItem(atPath: lock + "-2")
    #expect(try environment.reopen(within: Self.long))
    #expect(try environment.bytes(1) == [1])
  }

  @Test func `an environment opened for reading is not opened again`() throws {
    let shelf = try Shelf()
    do { try shelf.create().store([1]) }
    let environment = try shelf.open(.readOnly)
    #expect(throws: EnvironmentError.readOnly) { try environment.reopen(within: Self.long) }
    #expect(try environment.bytes(1) == [1])
  }
}
