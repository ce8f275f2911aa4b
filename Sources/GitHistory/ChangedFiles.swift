import Annals
import Foundation

/// The changed files, with the number of changes.
package enum ChangedFiles: Projection {
  package typealias Event = HistoryV3.Event

  /// One path.
  @Record package struct File: Equatable, ProjectionRow {
    var path: String
    var changes: Int

    /// The path, shortened if it is too long for a key.
    package var key: String { path.rowKey }
    /// The most changes come first.
    static let byChanges = SecondaryKey<File, Int>("changes") { -$0.changes }
    /// The secondary keys of files.
    package static var secondaryKeys: [any DeclaredKey<File>] { [byChanges] }
  }

  package static let name = "files"
  package static let version = 1
  package static var tables: [ProjectionTable] { [.rows(File.self)] }
  package static var events: EventQuery<Event> { [\.fileChanged] }

  package static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .fileChanged(let change) = entry.event else { return }
    let path = change.path
    try rows.update(File.self, path.rowKey, initial: File(path: path, changes: 0)) { $0.changes += 1 }
  }
}

extension String {
  /// The text as a key of at most 400 bytes. A longer text is cut off, and distinguished by a hash of all of
  /// it.
  var rowKey: String {
    guard utf8.count > 400 else { return self }
    // FNV-1a, 64 bits. There is no gain in making two paths share a row.
    let hash = utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return String(decoding: utf8.prefix(360), as: UTF8.self) + "~" + String(hash, radix: 16)
  }
}
