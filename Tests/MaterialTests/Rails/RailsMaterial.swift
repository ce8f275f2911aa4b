import Foundation

@testable import Annals

/// The history of a large repository, next to the package on some machines, and git's own listings of it.
enum RailsMaterial {
  private static let folder = SharedData.folder.appending(path: "git-rails")

  /// Whether it exists.
  static let isThere =
    FileManager.default.fileExists(atPath: folder.path)
    && FileManager.default.isExecutableFile(atPath: "/bin/gzip")

  /// Git's listings at some positions; a debug build takes the first few.
  static let listings: [RailsTree.Listing] = {
    guard let text = try? String(contentsOf: folder.appending(path: "trees.tsv"), encoding: .utf8) else {
      return []
    }
    let all = text.split(separator: "\n").dropFirst().compactMap { line -> RailsTree.Listing? in
      let columns = line.split(separator: "\t")
      guard columns.count == 4, let position = UInt64(columns[0]), let files = Int(columns[2]) else {
        return nil
      }
      return RailsTree.Listing(position: Position(position), files: files, digest: String(columns[3]))
    }
    #if DEBUG
      return Array(all.prefix(2))
    #else
      return all
    #endif
  }()

  static let positions = Set(listings.map(\.position))

  /// The lines of the log up to the last listing, in parts that end at each listing.
  static func parts(in directory: URL) throws -> [[UInt8]] {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    let file = directory.appending(path: "log.jsonl")
    let last = listings.last?.position.rawValue ?? 0
    process.arguments = ["-c", "gzip -dc '\(folder.path)/log.jsonl.gz' | head -n \(last) >'\(file.path)'"]
    try process.run()
    process.waitUntilExit()
    let bytes = [UInt8](try Data(contentsOf: file))
    var parts: [[UInt8]] = []
    var (line, start) = (UInt64(0), 0)
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
      line += 1
      guard positions.contains(Position(line)) else { continue }
      parts.append(Array(bytes[start...index]))
      start = index + 1
    }
    return parts
  }
}
