import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance

/// Files and links that somebody has put where a store's files are expected.
@Suite struct PlantedFileTests {
  private static let names = [
    "CURRENT", "open.lock", "queue.lock", "write.lock", "log-000001.lease", "log-000001.mdb-lock",
    "log-000001.mdb",
  ]

  /// A file outside the store, and its bytes.
  private static func precious(_ place: TemporaryStore) throws -> (URL, Data) {
    let url = place.directory.appendingPathComponent("precious")
    let bytes = Data("what is precious\n".utf8) + Data(repeating: 7, count: 100_000)
    try bytes.write(to: url)
    return (url, bytes)
  }

  @Test(arguments: names) func `a symbolic link in place of a file is refused, and its target stays`(
    name: String
  ) async throws {
    let place = try TemporaryStore()
    try await Specimen.create(at: place.url)
    let (outside, bytes) = try Self.precious(place)
    let file = place.url.appendingPathComponent(name)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: outside)
    #expect(Opener.readWrite.refusal(place.url)?.code == .notAStore)
    #expect(Opener.readOnly.refusal(place.url)?.code == .notAStore)
    for opener in Opener.allCases { _ = opener.refusal(place.url) }
    #expect(try Data(contentsOf: outside) == bytes)
  }

  @Test(arguments: names) func `a symbolic link to nothing is refused, and nothing is created there`(
    name: String
  ) async throws {
    let place = try TemporaryStore()
    try await Specimen.create(at: place.url)
    let file = place.url.appendingPathComponent(name)
    try FileManager.default.removeItem(at: file)
    let nowhere = place.directory.appendingPathComponent("nowhere")
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: nowhere)
    for opener in Opener.allCases { _ = opener.refusal(place.url) }
    #expect(Opener.readWrite.refusal(place.url) != nil)
    #expect(!FileManager.default.fileExists(atPath: nowhere.path))
  }

  @Test(arguments: names.filter { $0 != "CURRENT" })
  func `another name of a file from elsewhere is refused, and the file stays`(name: String) async throws {
    let place = try TemporaryStore()
    try await Specimen.create(at: place.url)
    let (outside, bytes) = try Self.precious(place)
    let file = place.url.appendingPathComponent(name)
    try FileManager.default.removeItem(at: file)
    try FileManager.default.linkItem(at: outside, to: file)
    #expect(Opener.readWrite.refusal(place.url)?.code == .permission)
    for opener in Opener.allCases { _ = opener.refusal(place.url) }
    #expect(try Data(contentsOf: outside) == bytes)
  }

  @Test func `links that look like leftovers and temporaries are neither followed nor removed`() async throws
  {
    let place = try TemporaryStore()
    let outside = place.directory.appendingPathComponent("outside")
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: false)
    for name in ["open.lock", "CURRENT"] {
      try Data("mine".utf8).write(to: outside.appendingPathComponent(name))
    }
    let leftover = place.directory.appendingPathComponent(".orders.annals.123.tmp")
    try FileManager.default.createSymbolicLink(at: leftover, withDestinationURL: outside)
    let before = try Inventory(outside)
    do { try await place.open().append([.sized(1)], to: "a") }
    let temporary = place.url.appendingPathComponent("CURRENT.tmp")
    try FileManager.default.createSymbolicLink(
      at: temporary, withDestinationURL: outside.appendingPathComponent("CURRENT"))
    do { try await place.open().append([.sized(1)], to: "a") }
    #expect(try Inventory(outside) == before)
    #expect(try String(contentsOf: outside.appendingPathComponent("open.lock"), encoding: .utf8) == "mine")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: leftover.path) == outside.path)
    #expect(try EventLog.verify(place.url).entries == 2)
  }
}
