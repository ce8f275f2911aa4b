import Foundation
import Testing

@testable import AnnalsCommand

/// Missing, foreign and damaged stores: every verb reports the problem and changes nothing.
@Suite struct BrokenStoreTests {
  /// A file or folder in the place of a store.
  enum Wreck: String, CaseIterable, CustomTestStringConvertible {
    case textFile, emptyFolder, folderOfOthers, noCurrent, noLog, emptyCurrent, garbledCurrent, otherCurrent
    case emptyLog, textLog, truncatedLog, halfLog, foreignLog, flippedMetaPages, linkedStore

    var testDescription: String { rawValue }

    /// The codes of the errors that report it.
    var codes: Set<String> {
      switch self {
      case .textFile, .emptyFolder, .folderOfOthers, .linkedStore: ["notAStore"]
      case .noCurrent, .noLog: ["incomplete"]
      case .emptyCurrent, .garbledCurrent: ["damaged"]
      case .otherCurrent, .foreignLog: ["foreign"]
      case .emptyLog, .textLog: ["notAStore", "damaged"]
      case .truncatedLog, .halfLog, .flippedMetaPages: ["damaged", "notAStore"]
      }
    }

    /// Replaces the sound store at `store` by it.
    func make(_ store: String, other: String) throws {
      let files = FileManager.default
      let current = URL(filePath: store + "/CURRENT")
      let log = URL(filePath: store + "/log-000001.mdb")
      switch self {
      case .textFile:
        try files.removeItem(atPath: store)
        try Data("hello\n".utf8).write(to: URL(filePath: store))
      case .emptyFolder:
        for name in try files.contentsOfDirectory(atPath: store) {
          try files.removeItem(atPath: "\(store)/\(name)")
        }
      case .folderOfOthers:
        for name in try files.contentsOfDirectory(atPath: store) {
          try files.removeItem(atPath: "\(store)/\(name)")
        }
        try Data("mine".utf8).write(to: URL(filePath: store + "/letter.txt"))
      case .noCurrent: try files.removeItem(at: current)
      case .noLog: try files.removeItem(at: log)
      case .emptyCurrent: try Data().write(to: current)
      case .garbledCurrent: try Data("../../etc/passwd 1 2 3\n".utf8).write(to: current)
      case .otherCurrent: try Data(contentsOf: URL(filePath: other + "/CURRENT")).write(to: current)
      case .emptyLog: try Data().write(to: log)
      case .textLog: try Data(String(repeating: "hello ", count: 5_000).utf8).write(to: log)
      case .truncatedLog: try Data(Data(contentsOf: log).prefix(100)).write(to: log)
      case .halfLog: try Data(Data(contentsOf: log).prefix(5 * 4_096)).write(to: log)
      case .foreignLog: try Data(contentsOf: URL(filePath: other + "/log-000001.mdb")).write(to: log)
      case .flippedMetaPages:
        var bytes = try Data(contentsOf: log)
        for index in [16, 17, 4_096 + 16, 4_096 + 17] { bytes[index] ^= 0xff }
        try bytes.write(to: log)
      case .linkedStore:
        try files.moveItem(atPath: store, toPath: store + ".real")
        try files.createSymbolicLink(atPath: store, withDestinationPath: store + ".real")
      }
    }
  }

  @Test(arguments: Wreck.allCases)
  func `every verb reports the problem and changes nothing`(wreck: Wreck) async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let other = try TemporaryDirectory()
    try wreck.make(store, other: try await other.filled())
    let line = try folder.write("line", #"{"stream":"a","type":"T","data":{}}"#)
    let before = try TemporaryDirectory.content(store)
    for words in [["info"], ["streams"], ["census"], ["read"], ["dump"], ["verify"], ["import", "", line]] {
      let run = await CommandRun([words[0], store] + words.dropFirst(2))
      // `verify` reports damaged pages as findings.
      let isFinding = words[0] == "verify" && run.status == 1
      #expect(isFinding || run.status == 65, "\(words[0]): \(run.errors)")
      let code = run.errors.split(separator: ": ").dropFirst().first.map(String.init) ?? ""
      #expect(isFinding || wreck.codes.contains(code), "\(words[0]): \(run.errors)")
      #expect(isFinding || run.errors.split(separator: "\n").count == 1)
      #expect(try TemporaryDirectory.content(store) == before, "\(words[0])")
    }
  }

  @Test(.enabled(if: geteuid() != 0, "nothing is unreadable to root"))
  func `an unreadable file is reported as missing permission, and nothing is changed`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let log = store + "/log-000001.mdb"
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: log)
    for verb in ["info", "streams", "census", "read", "dump", "verify"] {
      #expect(await CommandRun(verb, store).status == 77)
    }
  }
}
