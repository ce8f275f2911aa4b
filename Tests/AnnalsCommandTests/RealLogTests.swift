import Foundation
import Testing

@testable import AnnalsCommand

/// Real logs that are next to the package on some machines and are never part of it.
enum RealLogs {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/data")
  static let isThere =
    FileManager.default.fileExists(atPath: folder.path)
    && FileManager.default.isExecutableFile(atPath: "/bin/gzip")
}

/// Real logs come out of an import and a dump unchanged.
@Suite(.enabled(if: RealLogs.isThere, "the logs lie beside the package and are no part of it"))
struct RealLogTests {
  /// The first lines of a log.
  private func lines(_ name: String, _ count: Int, in folder: TemporaryDirectory) throws -> [Data] {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c",
      "gzip -dc '\(RealLogs.folder.path)/\(name)/log.jsonl.gz' | head -n \(count) >'\(folder.path("log"))'",
    ]
    try process.run()
    process.waitUntilExit()
    return try Data(contentsOf: URL(filePath: folder.path("log"))).split(separator: 0x0a)
  }

  @Test(arguments: [("git-rails", 10_000), ("cricket-ipl", 5_000), ("octokit-webhooks", 500)])
  func `a log is the same after import and dump`(name: String, count: Int) async throws {
    let folder = try TemporaryDirectory()
    let lines = try lines(name, count, in: folder)
    #expect(lines.count == count)
    let imported = await CommandRun(
      "import", folder.store, folder.path("log"), "--field", "version=v", "--field", "time=ts")
    #expect(imported.errors == "")
    let dump = await CommandRun("dump", folder.store)
    #expect(dump.lines.count == count)
    var wrong = 0
    for (line, back) in zip(lines, dump.lines) where try !isSame(line, Data(back.utf8)) { wrong += 1 }
    #expect(wrong == 0)
    #expect(await CommandRun("verify", folder.store).status == 0)
  }

  /// Whether a line of the material and one of the dump say the same, read by Foundation.
  private func isSame(_ line: Data, _ back: Data) throws -> Bool {
    guard let line = try JSONSerialization.jsonObject(with: line) as? [String: Any],
      let back = try JSONSerialization.jsonObject(with: back) as? [String: Any],
      let time = line["ts"] as? String, let version = line["v"] as? Int
    else { return false }
    let moment = time.utf8.count == 10 ? time + "T00:00:00.000000Z" : time.dropLast() + ".000000Z"
    return line["seq"] as? Int == back["position"] as? Int && line["n"] as? Int == back["revision"] as? Int
      && line["stream"] as? String == back["stream"] as? String
      && line["type"] as? String == back["type"] as? String
      && back["version"] as? String == "\(version).0.0" && back["time"] as? String == moment
      && isSame(line["data"], back["data"])
  }

  /// Whether two values are the same, numbers as numbers and texts byte for byte.
  private func isSame(_ left: Any?, _ right: Any?) -> Bool {
    switch (left, right) {
    case (let left as [String: Any], let right as [String: Any]):
      left.count == right.count && left.allSatisfy { isSame($0.value, right[$0.key]) }
    case (let left as [Any], let right as [Any]):
      left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
    case (let left as String, let right as String): left.utf8.elementsEqual(right.utf8)
    case (let left as NSNumber, let right as NSNumber): left == right
    default: left is NSNull && right is NSNull
    }
  }
}
