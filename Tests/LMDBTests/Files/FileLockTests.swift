import Foundation
import LMDB
import Synchronization
import Testing

@Suite struct `A lock file` {
  @Test func `an exclusive lock keeps every other holder out`() throws {
    let shelf = try Shelf()
    let (mine, other) = (try FileLock("a", in: shelf.directory), try FileLock("a", in: shelf.directory))
    let hold = try mine.lock(.exclusive)
    #expect(try other.tryLock(.exclusive) == nil)
    #expect(try other.tryLock(.shared) == nil)
    _ = consume hold
    #expect(try other.tryLock(.exclusive) != nil)
  }

  @Test func `shared locks do not exclude each other`() throws {
    let shelf = try Shelf()
    let (mine, other) = (try FileLock("a", in: shelf.directory), try FileLock("a", in: shelf.directory))
    let hold = try mine.lock(.shared)
    let second = try mine.lock(.shared)
    #expect(try other.tryLock(.shared) != nil)
    _ = consume hold
    #expect(try other.tryLock(.exclusive) == nil)
    _ = consume second
    #expect(try other.tryLock(.exclusive) != nil)
  }

  @Test func `a thread that holds a lock may take it again`() throws {
    let shelf = try Shelf()
    let (mine, other) = (try FileLock("a", in: shelf.directory), try FileLock("a", in: shelf.directory))
    let outer = try mine.lock(.exclusive)
    let inner = try mine.lock(.exclusive)
    _ = consume inner
    #expect(try other.tryLock(.exclusive) == nil)
    _ = consume outer
    #expect(try other.tryLock(.exclusive) != nil)
  }

  @Test func `two threads with one lock exclude each other`() throws {
    let shelf = try Shelf()
    let lock = try FileLock("a", in: shelf.directory)
    let hold = try lock.lock(.exclusive)
    let wasFree = Mutex<Bool?>(nil)
    let thread = try WriterThread(name: "other") {
      do {
        let isFree = try lock.tryLock(.exclusive) != nil
        wasFree.withLock { $0 = isFree }
      } catch { Issue.record(error) }
    }
    thread.join()
    #expect(wasFree.withLock { $0 } == false)
    _ = consume hold
  }

  @Test func `the holder writes down its process`() throws {
    let shelf = try Shelf()
    let lock = try FileLock("a", in: shelf.directory)
    #expect(try lock.lastHolder() == nil)
    let hold = try lock.lock(.exclusive)
    #expect(try FileLock("a", in: shelf.directory, create: false).lastHolder() == getpid())
    _ = consume hold
  }

  @Test func `a lock notices that its name belongs to another file`() throws {
    let shelf = try Shelf()
    let lock = try FileLock("a", in: shelf.directory)
    #expect(try lock.isCurrent())
    try shelf.directory.remove("a")
    #expect(try !lock.isCurrent())
    _ = try shelf.directory.create("a")
    #expect(try !lock.isCurrent())
  }

  @Test func `without create a missing file stays missing`() throws {
    let shelf = try Shelf()
    #expect(throws: StoreFileError.missing(file: "a")) {
      _ = try FileLock("a", in: shelf.directory, create: false)
    }
    #expect(try shelf.directory.names() == [])
  }

  @Test func `a lock file that has another name elsewhere is refused, and nothing is written into it`() throws
  {
    let shelf = try Shelf()
    try shelf.directory.replace("mine", with: Array("precious bytes".utf8).span)
    let code = unsafe link(shelf.path + "/mine", shelf.path + "/write.lock")
    try #require(code == 0)
    #expect(throws: StoreFileError.linked(file: "write.lock", links: 2)) {
      _ = try FileLock("write.lock", in: shelf.directory)
    }
    #expect(try shelf.directory.read("mine", limit: 100) == Array("precious bytes".utf8))
  }

  @Test func `a lock file that is removed while it is opened is missing, and nothing else`() throws {
    let shelf = try Shelf()
    let directory = shelf.directory
    let isOver = Atomic(false)
    try withExtendedLifetime(isOver) {
      let thread = try WriterThread(name: "remover") {
        while !isOver.load(ordering: .relaxed) {
          do {
            _ = try directory.create("brief")
            try directory.remove("brief")
          } catch {
            Issue.record(error)
          }
        }
      }
      var (opened, missing) = (0, 0)
      var end = ContinuousClock.now + .milliseconds(300)
      let latest = ContinuousClock.now + .seconds(10)
      while ContinuousClock.now < end {
        do throws(StoreFileError) {
          _ = try FileLock("brief", in: directory, create: false)
          opened += 1
        } catch .missing {
          missing += 1
        }
        // On until both were seen.
        if min(opened, missing) == 0 { end = min(ContinuousClock.now + .milliseconds(300), latest) }
      }
      isOver.store(true, ordering: .relaxed)
      thread.join()
      #expect(opened > 0 && missing > 0)
    }
  }

  // Only root may give a file away.
  @Test(.enabled(if: geteuid() == 0, "needs root")) func `the lock file of another user is refused`() throws {
    let shelf = try Shelf()
    _ = try shelf.directory.create("write.lock")
    let code = unsafe chown(shelf.path + "/write.lock", 65534, 65534)
    try #require(code == 0)
    #expect(throws: StoreFileError.wrongOwner(file: "write.lock", owner: 65534)) {
      _ = try FileLock("write.lock", in: shelf.directory)
    }
  }

  @Test func `a killed holder leaves the lock free`() async throws {
    let shelf = try Shelf()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = shelf.path as String] in
      let hold = try FileLock("a", in: try Shelf(path: path).directory).lock(.exclusive)
      kill(getpid(), SIGKILL)
      _ = consume hold
    }
    #expect(try FileLock("a", in: shelf.directory).tryLock(.exclusive) != nil)
  }
}
