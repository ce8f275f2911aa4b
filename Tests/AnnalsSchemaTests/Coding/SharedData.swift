import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Real material next to the package on some machines; it is never part of the package.
enum SharedData {
  /// The folder, next to the package's own.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "shared/data")

  /// Whether the folder is there; tests that read it are skipped where it is not.
  static let isThere = FileManager.default.fileExists(atPath: folder.path)

  /// The bytes of the file at `path` inside the folder.
  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: path)))
  }
}
