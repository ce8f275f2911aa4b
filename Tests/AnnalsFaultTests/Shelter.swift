import Annals
import Foundation

/// A directory for one test with a store in it, removed when the test is done.
final class Shelter: Sendable {
  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "annals-fault-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit {
    // What is left behind in the system's own folder for temporary files harms nobody.
    try? FileManager.default.removeItem(at: directory)
  }

  /// Where the test's store is.
  var store: URL { directory.appendingPathComponent("orders.annals") }

  /// The path of a file beside the store.
  func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

  /// Creates the store and closes it.
  func create() throws { _ = try EventLog(at: store) }
}
