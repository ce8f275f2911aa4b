import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Every opener refuses a directory that is no whole store, with a specific error, and changes nothing.
@Suite struct BadStoreTests {
  @Test(arguments: BadStore.allCases) func `is refused and stays as it is`(_ bad: BadStore) async throws {
    let place = try TemporaryStore()
    try await bad.make(in: place)
    let before = try Inventory(place.directory)
    for opener in Opener.allCases {
      let refusal = opener.refusal(place.url, creation: bad == .missing ? .never : .ifMissing)
      #expect(refusal?.code == bad.code, "\(opener): \(refusal.map { "\($0)" } ?? "was opened")")
      #expect(try Inventory(place.directory) == before, "\(opener)")
    }
  }

  @Test func `the same store, left as it is, is opened by all`() async throws {
    let place = try TemporaryStore()
    try await Specimen.create(at: place.url)
    let before = try Inventory(place.directory)
    for opener in Opener.allCases {
      #expect(opener.refusal(place.url) == nil, "\(opener)")
      #expect(try Inventory(place.directory) == before)
    }
  }

  @Test func `a file that ends before the last page that was ever taken is opened if none in use is missing`()
    async throws
  {
    let place = try TemporaryStore()
    try await Specimen.create(at: place.url)
    let data = place.url.appendingPathComponent(Specimen.file)
    var bytes = try Data(contentsOf: data)
    // Both meta pages speak of one page more than the file has.
    for meta in [0, Damage.pageSize] { bytes[meta + 136] += 1 }
    try bytes.write(to: data)
    for opener in Opener.allCases { #expect(opener.refusal(place.url) == nil, "\(opener)") }
    try await place.open().append([.sized(9_000)], to: "order 1")
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test(arguments: ["", "no such directory/x.annals"]) func `a place that cannot be is refused`(path: String)
    throws
  {
    let place = try TemporaryStore()
    let url = path.isEmpty ? place.directory : place.directory.appendingPathComponent(path)
    let refusal = Opener.readWrite.refusal(url)
    #expect(refusal?.code == (path.isEmpty ? .notAStore : .cannotCreate))
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path).isEmpty)
  }

  @Test func `a URL that is no file's is refused`() throws {
    let url = try #require(URL(string: "https://example.org/orders.annals"))
    #expect(Opener.readWrite.refusal(url)?.code == .noSuchStore)
  }

  @Test func `a store may have any name that a file may have, and a long path`() async throws {
    let place = try TemporaryStore()
    var folder = place.directory
    for name in ["with blank", "é e\u{301}", "-rf", String(repeating: "long", count: 55)] {
      folder.appendPathComponent(name)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let url = folder.appendingPathComponent("🏏 % \n.annals")
      do { try await EventLog(at: url).append([.sized(1)], to: "a") }
      #expect(try EventLog.verify(url).isClean)
    }
  }

  @Test func `a store is created and opened below a symbolic link`() async throws {
    let place = try TemporaryStore()
    let folder = place.directory.appendingPathComponent("folder")
    let link = place.directory.appendingPathComponent("link")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
    let url = link.appendingPathComponent("orders.annals")
    do { try await EventLog(at: url).append([.sized(1)], to: "a") }
    do { try await EventLog(at: url).append([.sized(1)], to: "a") }
    #expect(try EventLog.verify(folder.appendingPathComponent("orders.annals")).entries == 2)
  }

  @Test func `a path that is no UTF-8 is refused, or means one store for all openers`() async throws {
    let place = try TemporaryStore()
    let url = try #require(URL(string: "file://\(place.directory.path)/%FF%FE.annals"))
    if let refusal = Opener.readWrite.refusal(url) {
      #expect([.noSuchStore, .cannotCreate].contains(refusal.code), "\(refusal)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path).isEmpty)
    } else {
      try await EventLog(at: url).append([.sized(1)], to: "a")
      #expect(try EventLog.verify(url).entries == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path).count == 1)
    }
  }

  @Test func `a directory in which everybody may write is no place for a store`() async throws {
    let place = try TemporaryStore()
    do { try await place.open().append([.sized(1)], to: "a") }
    try #require(unsafe chmod(place.url.path, 0o777) == 0)
    for opener in Opener.allCases {
      let refusal = try #require(opener.refusal(place.url), "\(opener)")
      #expect(refusal.code == .permission)
      #expect(refusal.message.hasPrefix("everybody may write in the store's directory"), "\(refusal)")
    }
    try #require(unsafe chmod(place.url.path, 0o770) == 0)
    for opener in Opener.allCases where opener != .typed {
      #expect(opener.refusal(place.url) == nil, "\(opener)")
    }
  }

  @Test func `a path longer than the system takes is refused`() throws {
    let place = try TemporaryStore()
    var folder = place.directory
    for _ in 0..<20 { folder.appendPathComponent(String(repeating: "x", count: 240)) }
    let refusal = try #require(Opener.readWrite.refusal(folder))
    #expect(refusal.code == .inputOutput && refusal.message.hasSuffix(": File name too long"), "\(refusal)")
    #expect(Opener.inspect.refusal(folder)?.code == .inputOutput)
  }
}
