import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// What creations that were cut short leave, and processes that create one store at the same time.
@Suite struct CreationTests {
  @Test(arguments: [[], ["open.lock"], ["open.lock", "log-000001.lease", "CURRENT.7.tmp"]] as [[String]])
  func `leftovers of a creation are removed by the next one`(files: [String]) throws {
    let place = try TemporaryStore()
    let leftover = place.directory.appendingPathComponent(".orders.annals.123.tmp")
    try FileManager.default.createDirectory(at: leftover, withIntermediateDirectories: false)
    for file in files { try Data().write(to: leftover.appendingPathComponent(file)) }
    _ = try place.open()
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path) == ["orders.annals"])
  }

  @Test func `a file that only resembles a leftover stays`() throws {
    let place = try TemporaryStore()
    let other = place.directory.appendingPathComponent(".orders.annals.7.tmp")
    try Data("mine".utf8).write(to: other)
    let named = place.directory.appendingPathComponent(".another.annals.7.tmp")
    try FileManager.default.createDirectory(at: named, withIntermediateDirectories: false)
    let kept = place.directory.appendingPathComponent(".orders.annals.before-upgrade.tmp")
    try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: false)
    try Data().write(to: kept.appendingPathComponent("open.lock"))
    _ = try place.open()
    #expect(FileManager.default.fileExists(atPath: kept.appendingPathComponent("open.lock").path))
    #expect(try String(contentsOf: other, encoding: .utf8) == "mine")
    #expect(FileManager.default.fileExists(atPath: named.path))
  }

  @Test func `a neighbouring name that is no UTF-8 does not block a store`() async throws {
    let place = try TemporaryStore()
    let odd: [CChar] = Array((place.directory.path + "/").utf8CString.dropLast()) + [-1, -2, 0]
    let file = unsafe open(odd, O_CREAT | O_WRONLY, 0o600)
    try #require(file >= 0)
    close(file)
    do { try await place.open().append([.sized(1)], to: "a") }
    #expect(try EventLog.verify(place.url).entries == 1)
  }

  @Test(arguments: 1...3) func `processes that create one store at once all open the same`(round: Int)
    async throws
  {
    let place = try TemporaryStore()
    let processes = 6
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<processes {
        group.addTask {
          await #expect(processExitsWith: .success) {
            [path = place.url.path as String, number = number as Int] in
            await telling {
              try await EventLog(at: URL(fileURLWithPath: path)).append([.placed(number)], to: "\(number)")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let log = try place.open()
    #expect(try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().count } == processes)
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path) == ["orders.annals"])
  }
}
