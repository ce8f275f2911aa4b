import Foundation

/// A directory for one test, in memory where the system has such a place, removed when the test is done.
final class Scratch: Sendable {
  let url: URL

  init() throws {
    let memory = "/dev/shm"
    let parent =
      FileManager.default.isWritableFile(atPath: memory)
      ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
    url = parent.appendingPathComponent("annals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // What is left behind in a folder for temporary files harms nobody.
    try? FileManager.default.removeItem(at: url)
  }

  /// The path of `name` inside.
  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Makes an empty directory called `name`.
  func directory(_ name: String) throws -> URL {
    let directory = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    return directory
  }

  /// Makes an empty file called `name`.
  func file(_ name: String) throws -> URL {
    let file = url.appendingPathComponent(name)
    try Data().write(to: file)
    return file
  }
}
