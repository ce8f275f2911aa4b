import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Disks and limits that end in the midst of an append or a creation.
@Suite struct FullDiskTests {
  /// Appends until the disk is full.
  ///
  /// - Returns: How many appends were answered.
  private static func fill(_ log: EventLog, size: Int) async throws -> Int {
    var answered = 0
    while true {
      do {
        try await log.append([.sized(size, id: UUID())], to: "a")
        answered += 1
      } catch let error as AnnalsError {
        #expect(error.code == .diskFull, "\(error)")
        return answered
      }
    }
  }

  private static func count(_ log: EventLog) throws -> Int {
    try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().count }
  }

  @Test(arguments: 0..<12) func `a limit on a file's length loses nothing, and appends go on without it`(
    pages: Int
  ) async throws {
    await #expect(processExitsWith: .success) { [pages = pages as Int] in
      let place = try TemporaryStore()
      let log = try place.open()
      for number in 0..<6 { try await log.append([.placed(number)], to: "a") }
      let data = try Data(contentsOf: place.url.appendingPathComponent(Specimen.file))
      signal(SIGXFSZ, SIG_IGN)
      try #require(ProcessLimit.fileSize.set(data.count + pages * 4096 + (pages % 2) * 512))
      let answered = try await FullDiskTests.fill(log, size: 5_000)
      #expect(try FullDiskTests.count(log) == 6 + answered)
      // What still fits is still taken, and what does not is still refused as such.
      #expect(try await FullDiskTests.fill(log, size: 9_000) == 0)
      try #require(ProcessLimit.fileSize.set(nil))
      try await log.append([.sized(5_000)], to: "a")
      #expect(try FullDiskTests.count(log) == 7 + answered)
      #expect(try EventLog.verify(place.url).isClean)
    }
  }

  @Test(arguments: [0, 1, 100, 4096, 8192, 16_384, 32_768])
  func `a creation that a limit stops leaves nothing`(bytes: Int) async throws {
    await #expect(processExitsWith: .success) { [bytes = bytes as Int] in
      let place = try TemporaryStore()
      signal(SIGXFSZ, SIG_IGN)
      try #require(ProcessLimit.fileSize.set(bytes))
      let error = #expect(throws: AnnalsError.self) { try place.open() }
      #expect(error?.code == .diskFull)
      try #require(ProcessLimit.fileSize.set(nil))
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path).isEmpty)
      try await place.open().append([.placed(1)], to: "a")
    }
  }

  /// A call that changes every table: two streams, one of them new, and a payload with pages of its own.
  private static func change(_ log: EventLog, _ number: Int) async throws {
    let entries = [try NewEntry.sized(9_000, id: UUID()), try NewEntry.sized(40, type: "Kind \(number)")]
    try await log.append { call in
      call.append(entries, to: "a")
      call.append([entries[1]], to: StreamName("stream \(number)"))
    }
  }

  @Test
  func `a call that the disk ends after any number of pages is not there, and is there when it is repeated`()
    async throws
  {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var (refused, pages, fits) = (0, 0, false)
      while !fits {
        let place = try TemporaryStore()
        let log = try place.open()
        for number in 0..<3 { try await FullDiskTests.change(log, number) }
        let size = try Data(contentsOf: place.url.appendingPathComponent(Specimen.file)).count
        try #require(ProcessLimit.fileSize.set(size + pages * 4096))
        do {
          for number in 3..<6 { try await FullDiskTests.change(log, number) }
          fits = true
        } catch let error as AnnalsError {
          #expect(error.code == .diskFull, "\(pages): \(error)")
          refused += 1
        }
        let kept = try FullDiskTests.count(log)
        #expect(kept % 3 == 0 && kept >= 9, "\(pages)")
        try #require(ProcessLimit.fileSize.set(nil))
        try await FullDiskTests.change(log, 9)
        #expect(try FullDiskTests.count(log) == kept + 3)
        #expect(try EventLog.verify(place.url).isClean, "\(pages)")
        pages += 1
      }
      #expect(refused > 3)
    }
  }

  @Test func `a creation that ends after any number of pages leaves nothing`() async throws {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let place = try TemporaryStore()
      var (refused, pages, fits) = (0, 0, false)
      while !fits {
        try #require(ProcessLimit.fileSize.set(pages * 4096))
        do {
          _ = try place.open()
          fits = true
        } catch let error as AnnalsError {
          #expect(error.code == .diskFull, "\(pages): \(error)")
          #expect(
            try FileManager.default.contentsOfDirectory(atPath: place.directory.path).isEmpty, "\(pages)")
          refused += 1
        }
        try #require(ProcessLimit.fileSize.set(nil))
        pages += 1
      }
      #expect(refused > 10)
      #expect(try EventLog.verify(place.url).isClean)
    }
  }

  @Test(.enabled(if: Mount.isPossible, "needs root and mounts"))
  func `a file system that ends after any number of pages loses nothing`() async throws {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      let disk = try Mount.memory(8 << 20, at: place.directory.path)
      let url = disk.appendingPathComponent("orders.annals")
      let log = try EventLog(at: url)
      let ballast = disk.appendingPathComponent("ballast")
      var (refused, stored) = (0, 0)
      for pages in 0..<24 {
        var space = statvfs()
        let known = unsafe statvfs(disk.path, &space)
        try #require(known == 0)
        try Data(count: (Int(space.f_bavail) - pages) * Int(space.f_frsize)).write(to: ballast)
        do {
          try await FullDiskTests.change(log, pages)
          stored += 1
        } catch let error as AnnalsError {
          #expect(error.code == .diskFull, "\(pages): \(error)")
          refused += 1
        }
        #expect(try FullDiskTests.count(log) == 3 * stored, "\(pages)")
        try FileManager.default.removeItem(at: ballast)
        try await FullDiskTests.change(log, 100 + pages)
        stored += 1
      }
      #expect(refused > 1 && refused < 24, "\(refused)")
      #expect(try EventLog.verify(url).isClean)
    }
  }

  // Only root may mount.
  @Test(.enabled(if: Mount.isPossible, "needs root and mounts"))
  func `a full file system loses nothing, and appends go on when there is room`() async throws {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      let disk = try Mount.memory(4 << 20, at: place.directory.path)
      let url = disk.appendingPathComponent("orders.annals")
      let log = try EventLog(at: url)
      let ballast = disk.appendingPathComponent("ballast")
      try Data(count: 2 << 20).write(to: ballast)
      var answered = 0
      for size in [100_000, 3_000, 10] {
        let more = try await FullDiskTests.fill(log, size: size)
        #expect(answered > 0 || more > 0)
        answered += more
      }
      #expect(try FullDiskTests.count(log) == answered)
      // Reading, listing and checking need no room.
      #expect(try EventLog.verify(url).isClean)
      try FileManager.default.removeItem(at: ballast)
      try await log.append([.sized(100_000)], to: "a")
      #expect(try FullDiskTests.count(log) == answered + 1)
      #expect(try EventLog.verify(url).isClean)
    }
  }

  @Test(.enabled(if: Mount.isPossible, "needs root and mounts"), arguments: [0, 4, 40, 100, 200, 400])
  func `a creation on a full file system leaves nothing`(kibibytes: Int) async throws {
    await #expect(processExitsWith: .success) { [kibibytes = kibibytes as Int] in
      let place = try TemporaryStore()
      let disk = try Mount.memory(2 << 20, at: place.directory.path)
      let url = disk.appendingPathComponent("orders.annals")
      let ballast = disk.appendingPathComponent("ballast")
      try Data(count: 2 << 20 - kibibytes << 10).write(to: ballast)
      let error = #expect(throws: AnnalsError.self) { try EventLog(at: url) }
      #expect(error?.code == .diskFull)
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["ballast"])
      try FileManager.default.removeItem(at: ballast)
      try await EventLog(at: url).append([.placed(1)], to: "a")
    }
  }
}
