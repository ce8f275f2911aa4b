import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Stores that a program cannot read leave their path to a new one.
@Suite struct MovingAsideTests {
  /// Appends one event to the test's store and closes it.
  private func fill(_ place: TemporaryStore, _ number: Int, _ stream: StreamName) async throws {
    try await place.open().append([.placed(number)], to: stream)
  }

  // Promise P133.
  @Test func `a store that is moved aside keeps its entries, and its path is free`() async throws {
    let place = try TemporaryStore()
    try await fill(place, 1, "a")
    let files = try place.files()

    let aside = try #require(try EventLog.resetMovingAside(place.url))

    #expect(!FileManager.default.fileExists(atPath: place.url.path))
    #expect(aside.lastPathComponent == "orders.annals.aside-1")
    for (name, content) in files where !name.hasSuffix(".lease") {
      #expect(try Data(contentsOf: aside.appendingPathComponent(name)) == content)
    }
    try await place.open().append([.placed(2)], to: "b")
    let old = try EventLog(at: aside, options: StoreOptions(access: .readOnly, creation: .never))
    #expect(try old.read { (snapshot) throws(AnnalsError) in try snapshot.all().map(\.stream) } == ["a"])
  }

  @Test func `a second call finds nothing, and a second store gets a name of its own`() async throws {
    let place = try TemporaryStore()
    try await fill(place, 1, "a")
    #expect(try EventLog.resetMovingAside(place.url) != nil)
    #expect(try EventLog.resetMovingAside(place.url) == nil)
    try await fill(place, 2, "b")
    #expect(try EventLog.resetMovingAside(place.url)?.lastPathComponent == "orders.annals.aside-2")
  }

  @Test func `a store that is open is not moved`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    let error = #expect(throws: AnnalsError.self) { try EventLog.resetMovingAside(place.url) }
    #expect(error?.code == .busy)
    try await log.append([.placed(1)], to: "a")
    #expect(FileManager.default.fileExists(atPath: place.url.path))
  }

  @Test func `a damaged store is moved as it is`() async throws {
    let place = try TemporaryStore()
    try await fill(place, 1, "a")
    try Data("nothing".utf8).write(to: place.url.appendingPathComponent("CURRENT"))
    #expect(throws: AnnalsError.self) { try place.open() }
    let aside = try #require(try EventLog.resetMovingAside(place.url))
    #expect(try Data(contentsOf: aside.appendingPathComponent("CURRENT")) == Data("nothing".utf8))
    try await place.open().append([.placed(2)], to: "a")
  }

  @Test func `a directory that is no store stays where it is`() throws {
    let place = try TemporaryStore()
    try FileManager.default.createDirectory(at: place.url, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: place.url.appendingPathComponent("notes.txt"))
    let error = #expect(throws: AnnalsError.self) { try EventLog.resetMovingAside(place.url) }
    #expect(error?.code == .notAStore)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path) == ["notes.txt"])
  }

  @Test func `many calls at once move one store once`() async throws {
    let place = try TemporaryStore()
    try await fill(place, 1, "a")
    let moved = await withTaskGroup(of: URL?.self) { group in
      for _ in 0..<8 {
        group.addTask { (try? EventLog.resetMovingAside(place.url)) ?? nil }
      }
      return await group.reduce(into: [URL]()) { if let url = $1 { $0.append(url) } }
    }
    #expect(moved.count == 1)
  }

  @Test(arguments: [(10, 1), (247, 1), (248, 12), (255, 999)])
  func `a new name fits a file system, however long the old one is`(length: Int, number: Int) {
    let name = MovingAside.name(Array(String(repeating: "é", count: length / 2).utf8), number)
    #expect(name.count <= 255)
    #expect(String(validating: name, as: UTF8.self)?.hasSuffix(".aside-\(number)") == true)
  }
}
