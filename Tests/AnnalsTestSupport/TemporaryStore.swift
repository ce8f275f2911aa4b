package import Foundation

/// A place for the store of one test, removed when the test is done. The store itself is not created.
package final class TemporaryStore: Sendable {
  private let owned: TemporaryDirectory

  /// Creates the directory of the store.
  ///
  /// - Parameter parent: The parent directory; the system's folder for temporary files by default.
  package init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    owned = try TemporaryDirectory(in: parent)
  }

  /// The directory in which the store is, with room for other files of the test.
  package var directory: URL { owned.url }

  /// The location of the test's store.
  package var url: URL { directory.appendingPathComponent("orders.annals") }

  /// The path of a file next to the store.
  package func path(_ name: String) -> String { owned.path(name) }

  /// Every file of the store but lock files, with its content.
  package func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path)
    where !name.hasSuffix("lock") && !name.hasPrefix("program-") {
      files[name] = try Data(contentsOf: url.appendingPathComponent(name))
    }
    return files
  }
}
