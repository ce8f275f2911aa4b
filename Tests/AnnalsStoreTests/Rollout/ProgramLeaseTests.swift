import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsStore

@Suite struct ProgramLeaseTests {
  private func leases(_ place: TemporaryStore) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.url.path).filter { $0.hasPrefix("program-") }
  }

  @Test func `every open store has a lease, which names the versions that its program reads`() throws {
    let place = try TemporaryStore()
    let first = try EventStore(at: place.url, plan: BridgeParksPlan1.self)
    var options = StoreOptions()
    options.newerTypes = .skip
    let second = try EventStore(at: place.url, plan: BridgeParksPlan2.self, options: options)
    let programs = try first.log.programs().sorted {
      $0.version ?? SchemaVersion(0, 0, 0) < $1.version ?? SchemaVersion(0, 0, 0)
    }
    #expect(programs.map(\.version) == [SchemaVersion(1, 0, 0), SchemaVersion(2, 0, 0)])
    #expect(programs.map(\.skipsNewerTypes) == [false, true])
    #expect(programs.allSatisfy { $0.process == ProcessInfo.processInfo.processIdentifier })
    withExtendedLifetime(second) {}
  }

  @Test func `a lease ends with its store, and a log has none`() throws {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    do { _ = try EventStore(at: place.url, plan: BridgeParksPlan1.self) }
    #expect(try log.programs().isEmpty)
    #expect(try leases(place).isEmpty)
  }

  @Test func `a reader keeps the lease of a store that is gone`() async throws {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    var store: EventStore<BridgeParksPlan1>? = try EventStore(at: place.url, plan: BridgeParksPlan1.self)
    try await store?.append([.counted(.init(n: 1))], to: "a")
    let entries = try #require(store).entries()
    store = nil
    #expect(try log.programs().count == 1)
    for try await entry in entries { #expect(entry.event == .counted(.init(n: 1))) }
  }

  @Test func `a lease that no process holds is of a program that was killed, and is removed`() throws {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    let dead = place.url.appendingPathComponent(ProgramLeaseFile.name(UUID().uuidString))
    let unfinished = URL(fileURLWithPath: dead.path + ".tmp")
    for file in [dead, unfinished] { try Data("1234      \n1.0.0 fails 00000000\n".utf8).write(to: file) }
    #expect(try EventLog(at: place.url, options: StoreOptions(access: .readOnly)).programs().isEmpty)
    #expect(try leases(place).count == 2)
    #expect(try log.programs().isEmpty)
    #expect(try leases(place).isEmpty)
  }

  /// Leaves leases as so many killed programs do.
  private func leave(_ count: Int, _ place: TemporaryStore) throws {
    for number in 0..<count {
      let name = ProgramLeaseFile.name(UUID().uuidString) + (number % 10 == 9 ? ".tmp" : "")
      try Data("1234      \n1.0.0 fails 00000000\n".utf8).write(to: place.url.appendingPathComponent(name))
    }
  }

  @Test func `an open removes the leases of killed programs, and no lease that is held`() throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: BridgeParksPlan1.self)
    try leave(40, place)
    do { _ = try EventLog(at: place.url, options: StoreOptions(access: .readOnly)) }
    #expect(try leases(place).count == 41)
    do { _ = try EventLog(at: place.url) }
    #expect(try leases(place).count == 1)
    #expect(try store.log.programs().count == 1)
  }

  @Test func `an open looks at a bounded number of leases, and some opens remove all`() throws {
    let place = try TemporaryStore()
    do { _ = try EventLog(at: place.url) }
    let held = try HeldFile(in: Directory.open(path: place.url.path), content: []) {
      ProgramLeaseFile.name(UUID().uuidString)
    }
    let dead = 3 * ProgramLeases.sweep + 10
    try leave(dead, place)
    var left = dead + 1
    for _ in 0..<50 where left > 1 {
      do { _ = try EventLog(at: place.url) }
      let now = try leases(place).count
      #expect(now < left && now >= left - ProgramLeases.sweep)
      left = now
    }
    #expect(try leases(place) == [held.name])
    withExtendedLifetime(held) {}
  }

  @Test func `a held lease that cannot be read counts as below every version`() throws {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    let lease = try HeldFile(in: Directory.open(path: place.url.path), content: Array("nonsense".utf8)) {
      ProgramLeaseFile.name(UUID().uuidString)
    }
    let programs = try log.programs()
    #expect(programs.map(\.version) == [nil])
    #expect(programs[0].isBelow(SchemaVersion(0, 0, 0)))
    #expect(programs[0].description.contains("cannot be read"))
    withExtendedLifetime(lease) {}
  }

  @Test(arguments: [
    "", "1.0.0 fails", "1.0.0 fails 00000000\n", "1.0 fails 1fb1dd65\n", "1.0.0  fails 1fb1dd65\n",
  ])
  func `a file that is no lease is refused`(text: String) {
    #expect(throws: FormatFailure.self) { try ProgramLeaseFile(Array(text.utf8)) }
  }

  @Test func `a lease comes back as it was written`() throws {
    let lease = ProgramLeaseFile(version: SchemaVersion(1, 20, 4_294_967_295), skips: true)
    let bytes = lease.encoded()
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("1.20.4294967295 skips "))
    #expect(try ProgramLeaseFile(bytes) == lease)
  }
}
