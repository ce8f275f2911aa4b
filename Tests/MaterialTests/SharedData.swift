import Foundation

/// Real logs that are next to the package on some machines and are never part of it.
enum SharedData {
  /// The folder, next to the package's own.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/data")
}
