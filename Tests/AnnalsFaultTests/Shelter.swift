import Annals
import AnnalsFaults
import Foundation

/// A directory for one test with a store in it, removed when the test is done.
final class Shelter: Sendable {
  let directory: URL

  init(below parent: URL? = nil) throws {
    directory = (parent ?? FileManager.default.temporaryDirectory).appendingPathComponent(
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

extension Shelter {
  /// What is wrong with the store, by its own word and by that of those who used it.
  ///
  /// A store that contradicts itself is not opened: LMDB would end this process.
  func problems(with history: History) throws -> [String] {
    let report: VerifyReport
    do throws(AnnalsError) { report = try EventLog.verify(store) } catch { return ["\(error)"] }
    guard report.isClean else { return report.findings.map { "\($0.place): \($0.problem)" } }
    return try history.problems(with: StoreContent(store))
  }
}
