import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// What processes may do to a store that is open, and to each other.
@Suite struct ProcessTests {
  private static func count(_ log: EventLog) throws -> Int {
    try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().count }
  }

  private struct NoShell: Error {}

  // The test looks at descriptors where Linux lists them.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "needs /proc"))
  func `a program that is started inherits no descriptor of a store`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.sized(1)], to: "a")
    // Other tests of this process have stores of the same name.
    let store = "\(place.directory.lastPathComponent)/orders.annals"
    func inherited() throws -> [String] {
      let list = place.directory.appendingPathComponent("list")
      let shell = unsafe popen("ls -l /proc/self/fd > '\(list.path)'", "r")
      guard let shell = unsafe shell else { throw NoShell() }
      let status = unsafe pclose(shell)
      #expect(status == 0)
      let text = try String(contentsOf: list, encoding: .utf8)
      return text.split(separator: "\n").map(String.init).filter { $0.contains("\(store)/") }
    }
    #expect(try inherited() == [])
    // What is not closed by the start of a program is seen.
    let control = unsafe open(place.url.appendingPathComponent("CURRENT").path, O_RDONLY)
    #expect(try inherited().count == 1)
    close(control)
  }

  @Test func `another working directory does not matter to a store that was opened by a relative path`()
    async throws
  {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      try #require(FileManager.default.changeCurrentDirectoryPath(place.directory.path))
      let log = try EventLog(at: URL(fileURLWithPath: "orders.annals"))
      try #require(FileManager.default.changeCurrentDirectoryPath("/"))
      try await log.append([.sized(1)], to: "a")
      #expect(try ProcessTests.count(log) == 1)
      #expect(try EventLog.verify(place.url).entries == 1)
    }
  }

  @Test func `a child of this process can do nothing with a store, and does not disturb it`() async throws {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      let log = try place.open()
      try await log.append([.sized(1)], to: "a")
      typealias Fork = @convention(c) () -> pid_t
      guard let symbol = unsafe dlsym(nil, "fork") else { throw NoShell() }
      let fork = unsafe unsafeBitCast(symbol, to: Fork.self)
      let child = fork()
      if child == 0 {
        var refusals: Int32 = 0
        do throws(AnnalsError) {
          _ = try log.read { (snapshot) throws(AnnalsError) in try snapshot.head() }
        } catch {
          if error.code == .usedAfterFork { refusals += 1 }
        }
        do throws(AnnalsError) { _ = try place.open() } catch {
          if error.code == .usedAfterFork { refusals += 1 }
        }
        _exit(refusals)
      }
      var status: Int32 = 0
      let ended = unsafe waitpid(child, &status, 0)
      try #require(ended == child)
      #expect(status == 2 << 8)
      try await log.append([.sized(1)], to: "a")
      #expect(try ProcessTests.count(log) == 2)
      #expect(try EventLog.verify(place.url).isClean)
    }
  }

  @Test func `a clock that goes back changes no order`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    for hour in [9, 3, 7, 1] {
      var entry = try NewEntry.sized(1)
      entry.time = Timestamp(microseconds: Int64(hour) * 3_600_000_000)
      try await log.append([entry], to: "a")
    }
    let times = try log.read { (snapshot) throws(AnnalsError) in
      try snapshot.all(in: "a").map { $0.time.microseconds / 3_600_000_000 }
    }
    #expect(times == [9, 3, 7, 1])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a store whose directory is renamed goes on where it is now`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.sized(1)], to: "a")
    let moved = place.directory.appendingPathComponent("moved.annals")
    try FileManager.default.moveItem(at: place.url, to: moved)
    try await log.append([.sized(1)], to: "a")
    // A new store in the old place is another one.
    let other = try place.open()
    #expect(other.id != log.id)
    try await other.append([.sized(1)], to: "a")
    #expect(try EventLog.verify(moved).entries == 2)
    #expect(try EventLog.verify(place.url).entries == 1)
  }

  @Test func `a store whose directory was removed takes no append`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.sized(1)], to: "a")
    try FileManager.default.removeItem(at: place.url)
    let error = await #expect(throws: AnnalsError.self) { try await log.append([.sized(1)], to: "a") }
    #expect(error?.code == .lockFileDamaged || error?.code == .storeReplaced)
    // The open log can still be read.
    #expect(try Self.count(log) == 1)
  }

  @Test(
    arguments: ["write.lock", "queue.lock", "open.lock", "log-000001.mdb-lock", "log-000001.mdb"],
    [false, true])
  func `a file that is removed or replaced under an open store stops its appends`(
    name: String, isReplaced: Bool
  ) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.sized(1)], to: "a")
    let file = place.url.appendingPathComponent(name)
    let bytes = try Data(contentsOf: file)
    try FileManager.default.moveItem(at: file, to: place.directory.appendingPathComponent("kept"))
    if isReplaced { try bytes.write(to: file) }
    let error = await #expect(throws: AnnalsError.self) { try await log.append([.sized(1)], to: "a") }
    #expect(error?.code == (name.hasSuffix("mdb") ? .storeReplaced : .lockFileDamaged))
    #expect(error?.details.file == name)
    #expect(try Self.count(log) == 1)
    // Back in its place, the file is the same one.
    if isReplaced { try FileManager.default.removeItem(at: file) }
    try FileManager.default.moveItem(at: place.directory.appendingPathComponent("kept"), to: file)
    try await log.append([.sized(1)], to: "a")
    #expect(try EventLog.verify(place.url).entries == 2)
  }

  @Test func `a log that replaced an open one is opened once that one is released`() async throws {
    let place = try TemporaryStore()
    let file = place.url.appendingPathComponent(Specimen.file)
    let copy = place.directory.appendingPathComponent("copy")
    do {
      let log = try place.open()
      try await log.append([.sized(1)], to: "a")
    }
    try Data(contentsOf: file).write(to: copy)
    do {
      let log = try place.open()
      let code = unsafe rename(copy.path, file.path)
      try #require(code == 0)
      let refused = await #expect(throws: AnnalsError.self) { try await log.append([.sized(1)], to: "a") }
      #expect(refused?.code == .storeReplaced)
      let error = #expect(throws: AnnalsError.self) { _ = try place.open() }
      #expect(error?.code == .storeReplaced)
      #expect(error?.message.contains("release every value") == true)
      #expect(try Self.count(log) == 1)
    }
    let log = try place.open()
    try await log.append([.sized(1)], to: "a")
    #expect(try Self.count(log) == 2)
  }

  @Test func `a file that became shorter under an open store stops its appends`() async throws {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      let log = try place.open()
      for _ in 0..<4 { try await log.append([.sized(9_000)], to: "a") }
      let file = place.url.appendingPathComponent(Specimen.file)
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: UInt64(try Data(contentsOf: file).count - 4096))
      try handle.close()
      let error = await #expect(throws: AnnalsError.self) { try await log.append([.sized(1)], to: "a") }
      #expect(error?.code == .damaged)
    }
  }

  @Test func `a store is opened while another process writes without a pause`() async throws {
    let place = try TemporaryStore()
    do { _ = try place.open() }
    let stop = place.directory.appendingPathComponent("stop")
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(processExitsWith: .success) {
          [path = place.url.path as String, stop = stop.path as String] in
          await telling {
            let log = try EventLog(at: URL(fileURLWithPath: path))
            while !FileManager.default.fileExists(atPath: stop) { try await log.append([.sized(1)], to: "a") }
          }
        }
      }
      // Opens count when the other process is at work.
      var opens = 0
      await telling {
        while opens < 150 {
          let log = try place.open()
          if try log.read({ (snapshot) throws(AnnalsError) in try snapshot.head() }) != nil { opens += 1 }
        }
      }
      try Data().write(to: stop)
      try await group.waitForAll()
    }
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `processes that append at once lose nothing and leave no gap`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let calls = 40
    try await withThrowingTaskGroup(of: Void.self) { group in
      for process in 0..<2 {
        group.addTask {
          await #expect(processExitsWith: .success) {
            [path = place.url.path as String, process = process as Int, calls = calls as Int] in
            await telling {
              let log = try EventLog(at: URL(fileURLWithPath: path))
              for number in 0..<calls {
                let shared = [try NewEntry.sized(number, id: UUID()), try NewEntry.sized(1, id: UUID())]
                let own = try NewEntry.sized(1)
                try await log.append { call in
                  call.append(shared, to: "shared")
                  call.append([own], to: "own \(process)", expecting: number == 0 ? .noStream : .exists)
                }
              }
            }
          }
        }
      }
      for _ in 0..<calls { try await log.append([.sized(1)], to: "shared") }
      try await group.waitForAll()
    }
    let entries = try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }
    #expect(entries.map(\.position.rawValue) == Array(1...UInt64(7 * calls)))
    for (stream, wanted) in [("shared", 5 * calls), ("own 0", calls), ("own 1", calls)] {
      let revisions = entries.filter { $0.stream == StreamName(stream) }.map(\.revision.rawValue)
      #expect(revisions == Array(0..<UInt64(wanted)))
    }
    // The events of a call are adjacent, regardless of other processes' calls between.
    for entry in entries where !entry.isEndOfCall {
      #expect(
        entries[Int(entry.position.rawValue)].id != nil || entries[Int(entry.position.rawValue)].isEndOfCall)
    }
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `processes that expect the same revision win one by one`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.sized(1)], to: "counter")
    let wins = 30
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          await #expect(processExitsWith: .success) { [path = place.url.path as String, wins = wins as Int] in
            await telling {
              let log = try EventLog(at: URL(fileURLWithPath: path))
              var won = 0
              while won < wins {
                let seen = try log.read { (snapshot) throws(AnnalsError) in
                  try snapshot.revision(of: "counter")
                }
                do {
                  try await log.append([.sized(1)], to: "counter", expecting: .revision(try #require(seen)))
                  won += 1
                } catch let error as AnnalsError {
                  #expect(error.code == .conflict, "\(error)")
                  if error.code != .conflict { return }
                }
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    // Each success moved the stream on by exactly one.
    #expect(
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.revision(of: "counter") }?.rawValue
        == UInt64(2 * wins))
  }
}
