import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

/// URLs that name exactly the path they were made of.
@Suite struct ExactPathTests {
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `a path is the bytes that it was made of`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let parts: [[UInt8]] = ["..", ".", "~", "~root", "%41", "a b", "é", "?", "#", ":", ";"].map {
      Array($0.utf8)
    }
    var path: [UInt8] = Bool.random(using: &generator) ? [0x2F] : []
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      if Bool.random(using: &generator), let part = parts.randomElement(using: &generator) {
        path += part
      } else {
        path += (0..<3).map { _ in UInt8.random(in: 1...255, using: &generator) }
      }
      if Bool.random(using: &generator) { path.append(0x2F) }
    }
    let url = try URL(exactPath: path)
    #expect(try url.exactPath() == path, "seed \(seed): \(url)")
    #expect(url.isFileURL)
  }

  @Test func `a path that names no file is refused`() throws {
    #expect(throws: AnnalsError.self) { try URL(exactPath: []) }
    #expect(throws: AnnalsError.self) { try URL(exactPath: [0x61, 0, 0x62]) }
    let texts = [
      "https://example.org/a", "file://elsewhere/a", "file:///a?b", "file:///a#b", "file:///a%2Fb",
      "file:///a%00b",
    ]
    for text in texts {
      let url = try #require(URL(string: text))
      let error = #expect(throws: AnnalsError.self) { try url.exactPath() }
      #expect(error?.code == .wrongUse, "\(text)")
      #expect(throws: AnnalsError.self) { try EventLog(at: url) }
    }
  }

  @Test func `a store is opened where the system says, and a lock file too`() async throws {
    let place = try TemporaryStore()
    let files = FileManager.default
    let base = place.directory.path
    for name in ["here", "there", "there/deep"] {
      try files.createDirectory(atPath: "\(base)/\(name)", withIntermediateDirectories: false)
    }
    try files.createSymbolicLink(atPath: "\(base)/here/link", withDestinationPath: "../there/deep")
    let path = Array("\(base)/here/link/../a".utf8) + [0xFF]
    try await EventLog(at: URL(exactPath: path)).append([try .placed(1)], to: "a")
    let other = Array("\(base)/there/a".utf8) + [0xFF]
    #expect(try EventLog.inspect(URL(exactPath: other)).entries == 1)
    let lock = WholeFile(try URL(exactPath: "\(base)/here/link/../plan.lock".utf8))
    #expect(try lock.read() == nil)
    try lock.replace(with: [1, 2, 3])
    #expect(try Data(contentsOf: URL(filePath: "\(base)/there/plan.lock")) == Data([1, 2, 3]))
    #expect(try lock.read() == [1, 2, 3])
  }
}
