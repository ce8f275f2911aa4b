import Foundation

/// A folder for one test, removed when the test is done.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "githistory-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // What is left behind in the system's own folder for temporary files harms nobody.
    try? FileManager.default.removeItem(at: url)
  }
}
