import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsSwiftData

/// The source is read and never changed.
struct UntouchedSourceTests {
  /// Every file of a folder with its bytes and its times.
  private func state(of folder: URL) throws -> [String: String] {
    var state: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let path = folder.appending(path: name).path
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let content = FileManager.default.contents(atPath: path)
      let time = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate.bitPattern
      state[name] =
        "\(time ?? 0) \(attributes[.size] ?? 0) \(content?.hashValue ?? 0) \(attributes[.systemFileNumber] ?? 0)"
    }
    return state
  }

  @Test(arguments: ["DELETE", "WAL", "TRUNCATE"])
  func `inspecting, proposing and importing change no byte and no time`(mode: String) throws {
    let source = try ReadingTests.blog()
    try source.addHistory()
    try source.run("PRAGMA journal_mode = \(mode)")
    let before = try state(of: source.folder.url)
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    let file = try SwiftDataFile(at: source.url)
    let mapping = try file.proposal(named: "Blog").mapping
    #expect(try file.importRows(into: log, mapping: mapping).stored == 8)
    #expect(!SwiftDataInspection(file).text().isEmpty)
    #expect(try state(of: source.folder.url) == before)
  }

  #if os(Linux)
    @Test func `reading a file that this user owns does not change the time of its last access`() throws {
      let source = try ReadingTests.blog()
      func accessed() throws -> [Int] {
        var status = stat()
        try #require(unsafe stat(source.path, &status) == 0)
        return [status.st_atim.tv_sec, status.st_atim.tv_nsec]
      }
      // Earlier than the last write, so that every usual read would change it.
      let old = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_600_000_000, tv_usec: 0)]
      try #require(unsafe utimes(source.path, old) == 0)
      _ = try SwiftDataFile(at: source.url)
      #expect(try accessed() == [1_000_000_000, 0])
    }
  #endif

  @Test func `committed pages of a WAL are read, uncommitted ones are not, while the app has it open`() throws
  {
    let source = try ReadingTests.blog()
    let app = try source.connection()
    try app.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
    try app.run("INSERT INTO ZTAG VALUES (4, 5, 1, 'committed')")
    // A cache of one page writes uncommitted pages into the WAL.
    try app.run("PRAGMA cache_size = 1; BEGIN")
    for key in 10..<600 {
      try app.run("INSERT INTO ZTAG VALUES (\(key), 5, 1, '\(String(repeating: "u", count: 500))')")
    }
    let before = try state(of: source.folder.url)
    #expect(before.keys.sorted() == ["app.store", "app.store-shm", "app.store-wal"])
    let file = try SwiftDataFile(at: source.url)
    #expect(file.entities.first { $0.name == "Tag" }?.rows == 4)
    #expect(try state(of: source.folder.url) == before)
    try app.run("COMMIT")
    #expect(try SwiftDataFile(at: source.url).entities.first { $0.name == "Tag" }?.rows == 594)
  }

  @Test func `a symbolic link is followed to the file and its WAL`() throws {
    let source = try ReadingTests.blog()
    let app = try source.connection()
    try app.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
    try app.run("INSERT INTO ZTAG VALUES (4, 5, 1, 'committed')")
    let folder = try TemporaryDirectory()
    let link = folder.url.appending(path: "link.store")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: source.url)
    #expect(try SwiftDataFile(at: link).entities.first { $0.name == "Tag" }?.rows == 4)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["link.store"])
  }

  @Test func `the copy is removed with the value`() throws {
    let source = try ReadingTests.blog()
    func copies() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
        .count { $0.hasPrefix("annals-swiftdata-") }
    }
    var path = ""
    do {
      let copy = try SourceCopy(of: Array(source.path.utf8), name: "app.store")
      path = copy.path
      #expect(FileManager.default.fileExists(atPath: path))
      #expect(try copies() > 0)
    }
    #expect(!FileManager.default.fileExists(atPath: URL(filePath: path).deletingLastPathComponent().path))
  }

  @Test func `a transaction that a crash left in a journal is rolled back in the copy alone`() throws {
    let source = try ReadingTests.blog()
    let app = try source.connection()
    try app.run("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN")
    for key in 10..<600 {
      try app.run("INSERT INTO ZTAG VALUES (\(key), 5, 1, '\(String(repeating: "u", count: 500))')")
    }
    // A copy of the files as a crash would leave them.
    let crashed = try TemporaryDirectory()
    for name in ["app.store", "app.store-journal"] {
      try FileManager.default.copyItem(
        at: source.folder.url.appending(path: name), to: crashed.url.appending(path: name))
    }
    try app.run("ROLLBACK")
    let before = try state(of: crashed.url)
    let file = try SwiftDataFile(at: crashed.url.appending(path: "app.store"))
    #expect(file.entities.first { $0.name == "Tag" }?.rows == 3)
    #expect(try state(of: crashed.url) == before)
  }
}
