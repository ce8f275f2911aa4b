import AnnalsTestSupport
import AnnalsTesting
import Foundation

/// A directory of fixtures for one test, removed when the test is done.
final class FixturePlace: Sendable {
  private let temporary: TemporaryDirectory

  init() throws { temporary = try TemporaryDirectory() }

  /// The location of the fixtures. Recording creates the directory.
  var url: URL { temporary.url.appendingPathComponent("fixtures") }

  var fixtures: Fixtures { Fixtures(directory: url, isRecording: false) }
  var recording: Fixtures { Fixtures(directory: url, isRecording: true) }

  func text(_ name: String) throws -> String {
    try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
  }

  func write(_ text: String, to name: String) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url.appendingPathComponent(name))
  }

  func files() throws -> [String: String] {
    guard FileManager.default.fileExists(atPath: url.path) else { return [:] }
    return try FileManager.default.contentsOfDirectory(atPath: url.path)
      .reduce(into: [:]) { files, name in files[name] = try text(name) }
  }
}
