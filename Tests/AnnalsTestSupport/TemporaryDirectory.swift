package import Foundation

/// A directory for one test, removed when the test is done.
package final class TemporaryDirectory: Sendable {
  package let url: URL

  /// Creates the directory.
  ///
  /// - Parameter parent: The parent directory; the system's folder for temporary files by default.
  package init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    url = parent.appendingPathComponent("annals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A directory that cannot be removed stays in a folder for temporary files, which the system clears.
    try? FileManager.default.removeItem(at: url)
  }

  /// A folder in memory where the system has one, else its folder for temporary files.
  package static var memory: URL {
    let memory = "/dev/shm"
    return FileManager.default.isWritableFile(atPath: memory)
      ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
  }

  /// The path of `name` inside.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Makes an empty directory called `name`.
  package func directory(_ name: String) throws -> URL {
    let directory = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    return directory
  }

  /// Makes a file called `name`.
  package func file(_ name: String, _ text: String = "") throws -> URL {
    let file = url.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return file
  }
}
