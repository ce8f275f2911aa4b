import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

@Suite struct LogInfoTests {
  @Test func `the oldest reader is reported with its process and its lag in commits`() async throws {
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

  @Test func `sizes agree with the counts of the check of the pages`() async throws {
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

  @Test func `streams that begin in the tail are counted, also by an inspection`() async throws {
    let place = try TemporaryStore()
    let log = try place.open(StoreOptions())
    for start in [0, 200] {
      try await log.append { call in
        for number in start..<start + 200 {
          let entry = NewEntry(type: "T", version: nil, payload: Payload(stored: [0xa0]))
          call.append([entry], to: "s\(number)")
        }
      }
    }
    #expect(try log.info().tailLength == 400)
    #expect(try log.info().streams == 400)
    #expect(try EventLog.inspect(place.url).streams == 400)
    // Merged now and then, some have a row and some have not.
    let other = try TemporaryStore()
    let merging = try other.open(.merging(every: 16))
    for number in 0..<100 {
      try await merging.append([try .placed(number)], to: "s\(number)")
      #expect(try EventLog.inspect(other.url).streams == UInt64(number + 1))
    }
  }

  @Test func `a damaged page of the tail is an error of an inspection, and not the end of the process`()
    async throws
  {
    let place = try TemporaryStore()
    let log = try place.open(StoreOptions())
    for number in 0..<50 { try await log.append([try .placed(number)], to: "s\(number)") }
    // A copy, so that no open environment has the pages.
    let copy = place.directory.appendingPathComponent("copy.annals")
    try FileManager.default.copyItem(at: place.url, to: copy)
    try FileManager.default.removeItem(at: copy.appendingPathComponent("log-000001.mdb-lock"))
    let file = copy.appendingPathComponent("log-000001.mdb")
    var bytes = try Data(contentsOf: file)
    for page in stride(from: 2 * 4096, to: bytes.count, by: 4096)
    where bytes[page..<page + 4096].range(of: Data("s49".utf8)) != nil {
      // Where the nodes of the page begin.
      bytes[page + 12] = 0xff
      bytes[page + 13] = 0xff
    }
    try bytes.write(to: file)
    let error = #expect(throws: AnnalsError.self) { try EventLog.inspect(copy) }
    #expect(error?.code == .damaged)
  }
}
