import Dispatch
import Foundation
import LMDB
import Synchronization
import Testing

@Suite struct `Guarding the writer` {
  @Test func `a deleted write lock stops the writer`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try shelf.directory.remove("write.lock")
    #expect(throws: EnvironmentError.file(.lockFileDamaged(file: "write.lock"))) {
      try environment.store([1])
    }
  }

  @Test(arguments: ["queue.lock", "open.lock"]) func `a deleted lock of waiting writers stops the writer`(
    name: String
  ) throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try shelf.directory.remove(name)
    #expect(throws: EnvironmentError.file(.lockFileDamaged(file: name))) { try environment.store([1]) }
    #expect(try environment.bytes(1) == nil)
  }

  @Test(arguments: ["write.lock", "queue.lock", "open.lock", Shelf.file + "-lock"])
  func `a lock file that is deleted during a commit makes its outcome unknown`(name: String) throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    #expect(throws: EnvironmentError.unconfirmed(.lockFileDamaged(file: name))) {
      try environment.write { (transaction) throws(EnvironmentError) in
        try transaction.put([1].span, forKey: 1, in: environment.numbers)
        do throws(StoreFileError) { try shelf.directory.remove(name) } catch { throw .file(error) }
      }
    }
  }

  @Test func `a writer with other lock files waits for a commit under way, and is refused after it`()
    async throws
  {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1])
    let isOpen = shelf.path + "/open"
    let thread = try WriterThread(name: "writer") {
      do throws(EnvironmentError) {
        var transaction = try environment.beginWrite()
        try transaction.put([2].span, forKey: 2, in: environment.numbers)
        for name in [Shelf.file + "-lock", "queue.lock", "open.lock", "write.lock"] {
          do throws(StoreFileError) { try shelf.directory.remove(name) } catch { throw .file(error) }
        }
        for _ in 0..<10_000 where !FileManager.default.fileExists(atPath: isOpen) { usleep(1000) }
        usleep(100_000)
        try transaction.commit()
        Issue.record("called stored")
      } catch {
        #expect(error == .unconfirmed(.lockFileDamaged(file: "write.lock")))
      }
    }
    await #expect(processExitsWith: .success) { [path = shelf.path as String, isOpen = isOpen as String] in
      for _ in 0..<10_000 where FileManager.default.fileExists(atPath: path + "/write.lock") { usleep(1000) }
      let other = try Shelf(path: path).open()
      try Data().write(to: URL(fileURLWithPath: isOpen))
      let error = #expect(throws: EnvironmentError.self) { try other.store([3]) }
      guard case .wrongTransactionID = error else {
        Issue.record("not refused: \(String(describing: error))")
        return
      }
    }
    thread.join()
    #expect(try environment.bytes(2) == [2])
  }

  @Test func `a reader's table that became shorter stops the writer`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let name = Shelf.file + "-lock"
    // By its path: a second descriptor of this process would drop LMDB's locks when it is closed.
    let size = try #require(try shelf.directory.status(of: name)?.size)
    let code = unsafe truncate(shelf.path + "/" + name, off_t(size - 4096))
    try #require(code == 0)
    #expect(throws: EnvironmentError.file(.lockFileDamaged(file: name))) { try environment.store([1]) }
  }

  @Test func `an opener whose lock was deleted while it waited is refused`() throws {
    let shelf = try Shelf()
    do { try shelf.create().store([1]) }
    let locks = try shelf.locks()
    try shelf.directory.remove("open.lock")
    #expect(throws: EnvironmentError.file(.lockFileDamaged(file: "open.lock"))) {
      _ = try Environment.open(Shelf.file, in: shelf.directory, tables: Shelf.tables, locks: locks)
    }
    #expect(try shelf.open().bytes(1) == [1])
  }

  @Test(arguments: [false, true]) func `a deleted or replaced reader's table stops the writer`(replaced: Bool)
    throws
  {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try shelf.directory.remove(Shelf.file + "-lock")
    if replaced { _ = try shelf.directory.create(Shelf.file + "-lock") }
    #expect(throws: EnvironmentError.file(.lockFileDamaged(file: Shelf.file + "-lock"))) {
      try environment.store([1])
    }
    #expect(try environment.bytes(1) == nil)
  }

  @Test func `a data file that was renamed away is written no more`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try shelf.directory.rename(Shelf.file, to: "away", in: shelf.directory)
    #expect(throws: EnvironmentError.file(.replaced(file: Shelf.file))) { try environment.store([1]) }
  }

  @Test func `without the guard a commit into the renamed file succeeds`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.guards.remove(.names) }
    try shelf.directory.rename(Shelf.file, to: "away", in: shelf.directory)
    try environment.store([1])
    #expect(try shelf.directory.status(of: Shelf.file) == nil)
  }

  @Test func `a file that became shorter is written no more`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1], [2])
    let size = try shelf.bytes().count
    try shelf.directory.open(Shelf.file, .readWrite).truncate(to: size - 4096)
    #expect(throws: EnvironmentError.file(.truncated(file: Shelf.file, have: size - 4096, need: size))) {
      _ = try environment.beginWrite()
    }
  }

  @Test func `a second writer is noticed by the transaction's number`() async throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.guards = [.transactionID] }
    try environment.store([1])
    try shelf.directory.remove(Shelf.file + "-lock")
    await #expect(processExitsWith: .success) { [path = shelf.path as String] in
      try Shelf(path: path).open().store([2])
    }
    guard
      case .wrongTransactionID(let expected, let found) = #expect(
        throws: EnvironmentError.self,
        performing: {
          try environment.store([3])
        })
    else {
      Issue.record("the number was not compared")
      return
    }
    #expect(expected == found + 1)
  }

  @Test func `without the number's check the other writer's commit is overwritten`() async throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.guards = [] }
    try environment.store([1])
    try shelf.directory.remove(Shelf.file + "-lock")
    await #expect(processExitsWith: .success) { [path = shelf.path as String] in
      let other = try Shelf(path: path).open()
      try other.write { (transaction) throws(EnvironmentError) in
        try transaction.put([2].span, forKey: 2, in: other.numbers)
      }
    }
    try environment.write { (transaction) throws(EnvironmentError) in
      try transaction.put([3].span, forKey: 3, in: environment.numbers)
    }
    #expect(try environment.bytes(2) == nil)
  }

  @Test func `writers of several processes lose nothing`() async throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let thread = try WriterThread(name: "writer") {
      do {
        for number in 0..<200 {
          try environment.write { (transaction) throws(EnvironmentError) in
            try transaction.put([0].span, forKey: UInt64(number), in: environment.numbers)
          }
        }
      } catch { Issue.record(error) }
    }
    await #expect(processExitsWith: .success) { [path = shelf.path as String] in
      let other = try Shelf(path: path).open()
      for number in 1000..<1200 {
        try other.write { (transaction) throws(EnvironmentError) in
          try transaction.put([0].span, forKey: UInt64(number), in: other.numbers)
        }
      }
    }
    thread.join()
    let count = try environment.read { (transaction) throws(EnvironmentError) in
      try transaction.statistics(of: environment.numbers).entries
    }
    #expect(count == 400)
  }

  @Test func `a file that is written meanwhile is opened every time`() async throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let isDone = Atomic(false)
    let thread = try WriterThread(name: "writer") {
      do {
        while !isDone.load(ordering: .relaxed) {
          try environment.write(durability: .none) { (transaction) throws(EnvironmentError) in
            try transaction.put([0].span, forKey: 1, in: environment.numbers)
          }
        }
      } catch { Issue.record(error) }
    }
    // In another process, because this one would be given the environment that it has open.
    await #expect(processExitsWith: .success) { [path = shelf.path as String] in
      for _ in 0..<300 { _ = try Shelf(path: path).open() }
    }
    isDone.store(true, ordering: .relaxed)
    thread.join()
  }

  @Test func `the last user gives back the write lock before it waits to close`() throws {
    let shelf = try Shelf()
    let (begun, locked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thread = try WriterThread(name: "writer") {
      do {
        let transaction = try shelf.create().beginWrite()
        begun.signal()
        locked.wait()
        transaction.abort()
      } catch { Issue.record(error) }
    }
    begun.wait()
    let opening = try FileLock("open.lock", in: shelf.directory).lock(.exclusive)
    let write = try FileLock("write.lock", in: shelf.directory)
    #expect(try write.tryLock(.exclusive) == nil)
    locked.signal()
    let deadline = ContinuousClock.now + .seconds(5)
    var isFree = false
    while !isFree && ContinuousClock.now < deadline {
      isFree = try write.tryLock(.exclusive) != nil
    }
    #expect(isFree)
    _ = consume opening
    thread.join()
  }

  @Test func `a full disk loses nothing and is reported as such`() async throws {
    await #expect(processExitsWith: .success) {
      let shelf = try Shelf()
      let environment = try shelf.create()
      try environment.store([1])
      signal(SIGXFSZ, SIG_IGN)
      #expect(ProcessLimit.fileSize.set(try shelf.bytes().count + 8192))
      let large = [UInt8](repeating: 7, count: 1 << 20)
      let error = #expect(throws: EnvironmentError.self) { try environment.store(large) }
      guard case .notCommitted(let cause) = error else {
        Issue.record("not told as not committed, but \(String(describing: error))")
        return
      }
      #expect(cause.isDiskFull)
      #expect(try environment.bytes(1) == [1])
      #expect(ProcessLimit.fileSize.set(nil))
      try environment.store(large)
      #expect(try environment.bytes(1) == large)
    }
  }
}
