import Foundation
import Testing

@testable import Annals

/// A store that is kept as bytes under `Golden`, next to a text of all its rows.
struct KeptStore: CustomTestStringConvertible {
  private let folder: URL
  var testDescription: String { folder.lastPathComponent }

  /// The store kept under `name`.
  init(_ name: String) {
    folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Golden").appending(path: name)
  }

  /// Every row, as `GoldenStore.dump` writes them.
  var rows: URL { folder.appending(path: "rows.txt") }
  /// The file of the log.
  var log: URL { store.appending(path: "log-000001.mdb") }
  private var store: URL { folder.appending(path: "store") }

  /// A copy of the store, because opening one takes its locks.
  func copy() throws -> TemporaryStore {
    let place = try TemporaryStore()
    try FileManager.default.copyItem(at: store, to: place.url)
    return place
  }

  /// Keeps the store at `url`: its rows and its files. Files that only hold locks are kept empty.
  func keep(_ url: URL) throws {
    try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
    try GoldenStore.dump(url).write(to: rows, atomically: true, encoding: .utf8)
    for name in try FileManager.default.contentsOfDirectory(atPath: url.path) {
      if name == "CURRENT" || name.hasSuffix(".mdb") {
        try Data(contentsOf: url.appendingPathComponent(name)).write(to: store.appending(path: name))
      } else if name.hasPrefix("log-") && name.hasSuffix(".lease")
        || ["open.lock", "queue.lock", "write.lock"].contains(name)
      {
        try Data().write(to: store.appending(path: name))
      }
    }
    let blobs = url.appendingPathComponent("blobs")
    guard FileManager.default.fileExists(atPath: blobs.path) else { return }
    try? FileManager.default.removeItem(at: store.appending(path: "blobs"))
    try FileManager.default.copyItem(at: blobs, to: store.appending(path: "blobs"))
  }
}
