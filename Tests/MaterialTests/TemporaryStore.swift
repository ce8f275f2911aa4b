import Foundation

/// A directory for one test, removed when the test is done.
final class TemporaryStore: Sendable {
  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("material-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit {
    // What is left behind in the system's own folder for temporary files harms nobody.
    try? FileManager.default.removeItem(at: directory)
  }

  /// Where the test's store is.
  var url: URL { directory.appendingPathComponent("material.annals") }
}
