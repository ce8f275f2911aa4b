@testable import Annals
@testable import AnnalsProjections

/// The files of the repository, and at some positions of the log the digest of a listing of them.
///
/// The listings are rows too, so that every way to fold the log has to pass through all of them.
enum RailsTree: Projection {
  typealias Event = RailsV2.Event
  @Record struct File: ProjectionRow {
    var path: String
    var mode: String
    var blob: String
    var key: String { path }
  }
  @Record struct Listing: ProjectionRow, Equatable {
    var position: Position
    var files: Int
    var digest: String
    var key: Position { position }
  }

  static let name = "rails-tree"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(File.self), .rows(Listing.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    if case .fileChanged(let change) = entry.event {
      if let content = change.content {
        try rows.put(File(path: change.path, mode: content.mode, blob: content.blob))
      } else {
        try rows.delete(File.self, change.path)
      }
    }
    if RailsMaterial.positions.contains(entry.position) { try rows.put(listing(rows, at: entry.position)) }
  }

  /// The listing as `git ls-tree -r` has it, in the order of paths as bytes.
  static func listing(_ rows: borrowing ProjectionRows, at position: Position) throws -> Listing {
    let files = try rows.rows(RowQuery(File.self))
    var bytes: [UInt8] = []
    for file in files { bytes += "\(file.mode) \(file.blob) \(file.path)\n".utf8 }
    return Listing(
      position: position, files: files.count,
      digest: SHA256.hash(bytes).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined())
  }
}

/// The same one version later, with the number of changes to each file.
enum RailsTreeV2: Projection {
  typealias Event = RailsV2.Event
  typealias Listing = RailsTree.Listing
  @Record struct File: ProjectionRow {
    var path: String
    var mode: String
    var blob: String
    var changes: Int
    var key: String { path }
    static let byChanges = SecondaryKey<File, Int>("changes") { $0.changes }
    static var secondaryKeys: [any DeclaredKey<File>] { [byChanges] }
  }

  static let name = "rails-tree"
  static let version = 2
  static var tables: [ProjectionTable] { [.rows(File.self), .rows(Listing.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    if case .fileChanged(let change) = entry.event {
      if let content = change.content {
        let changes = try rows.get(File.self, change.path)?.changes ?? 0
        try rows.put(
          File(path: change.path, mode: content.mode, blob: content.blob, changes: changes + 1))
      } else {
        try rows.delete(File.self, change.path)
      }
    }
    guard RailsMaterial.positions.contains(entry.position) else { return }
    let files = try rows.rows(RowQuery(File.self))
    var bytes: [UInt8] = []
    for file in files { bytes += "\(file.mode) \(file.blob) \(file.path)\n".utf8 }
    let digest = SHA256.hash(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try rows.put(Listing(position: entry.position, files: files.count, digest: digest))
  }
}
