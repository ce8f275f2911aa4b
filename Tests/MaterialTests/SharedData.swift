import Foundation

/// Real logs that lie beside the package on some machines and are never part of it.
enum SharedData {
  /// The folder, next to the package's own.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/data")
}
