#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The directory of a plan's fixtures.
struct FixtureFiles {
  private let directory: URL

  init(_ directory: URL) {
    self.directory = directory
  }

  /// Returns the names of the existing fixtures. Other files are ignored.
  func names() throws -> Set<FixtureName> {
    guard FileManager.default.fileExists(atPath: directory.path) else { return [] }
    return Set(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).compactMap { FixtureName($0) })
  }

  /// Reads the text of a file.
  func read(_ name: FixtureName) throws(FixtureFailure) -> String {
    let text: String?
    do {
      text = String(
        validating: try Data(contentsOf: directory.appendingPathComponent(name.text)), as: UTF8.self)
    } catch {
      throw FixtureFailure([.unreadable(file: name.text, reason: "\(error)")])
    }
    guard let text else { throw FixtureFailure([.unreadable(file: name.text, reason: "it is not UTF-8")]) }
    return text
  }

  /// Writes a new file.
  func write(_ text: String, _ name: FixtureName) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    // The name appears only once the file is complete. An existing file is never overwritten, also if two
    // tests record at once.
    let new = directory.appendingPathComponent(".\(name.text).\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: new) }
    try Data(text.utf8).write(to: new, options: .withoutOverwriting)
    try FileManager.default.linkItem(at: new, to: directory.appendingPathComponent(name.text))
  }
}
