import Foundation
import LMDB
import Testing

@testable import Annals

@Suite struct LogInfoTests {
  @Test func `the oldest reader is told with its process and how many commits it is behind`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([try .placed(0)], to: "order-1")
    #expect(try log.info().readers == 0)
    #expect(try log.info().oldestReader == nil)
    let old = try LogSnapshot(log.core)
    for number in 1...3 { try await log.append([try .placed(number)], to: "order-1") }
    let new = try LogSnapshot(log.core)
    let info = try log.info()
    #expect(info.readers == 2)
    #expect(info.oldestReader?.process == getpid())
    #expect(info.oldestReader?.commitsBehind == 3)
    #expect(try old.head() == 1)
    #expect(try new.head() == 4)
  }

  @Test func `a reader of a process that was killed is none`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([try .placed(0)], to: "order-1")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.url.path as String] in
      let snapshot = try LogSnapshot(EventLog(at: URL(filePath: path)).core)
      if try snapshot.head() == 1 { kill(getpid(), SIGKILL) }
    }
    let info = try log.info()
    #expect(info.readers == 0)
    #expect(info.oldestReader == nil)
  }

  @Test func `a merge that runs is shown, and where it leads`() async throws {
    let place = try TemporaryStore()
    let log = try place.open(.merging(every: 500))
    var call: [Int] = []
    for number in 0..<500 { call.append(number) }
    try await log.append { [call] parts in
      for number in call {
        parts.append([NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]))], to: "s\(number)")
      }
    }
    #expect(try log.info().merging == nil)
    // Sorting takes a moment on another thread; small commits then write a few rows each.
    var appended = 0
    while try log.info().merging == nil, appended < 20_000 {
      appended += 1
      try await log.append([try .placed(1)], to: "s1")
      try await Task.sleep(for: .milliseconds(2))
    }
    #expect(try log.info().merging == 500)
  }

  @Test func `sizes agree with what the check of the pages counts`() async throws {
    let place = try TemporaryStore()
    let log = try place.open(StoreOptions())
    for number in 0..<30 { try await log.append([try .placed(number)], to: "order-\(number % 4)") }
    let info = try log.info()
    let pages = try StorePages(log.core.generation.directory, log.core.generation.current).check().pages
    let (used, free) = (pages.branch + pages.leaf + pages.overflow + 2, pages.free)
    #expect(info.used == used * 4096)
    #expect(info.free == (free + pages.unaccounted) * 4096)
    #expect(free > 0)
    #expect(info.fileSize >= info.used + info.free)
    #expect(info.mapSize >= info.fileSize)
    #expect(info.entries == 30)
    // Nothing is merged so early; an orderly end does it.
    #expect(info.tailLength == 30)
    _ = consume log
    #expect(try place.open().info().tailLength == 0)
  }
}
