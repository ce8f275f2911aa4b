internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The file to which a pass writes the values that entries lose, a line of JSON for each of them.
///
/// While it is being written, its name identifies its pass. It gets the requested name when it is whole and
/// on disk, just before the switch. The new generation records the number of bytes that belong to its
/// entries, in the transaction that puts them. Later bytes are cut off when a pass continues.
final class PassArchive {
  private let place: ArchivePlace
  private let directory: Directory
  private let file: File
  /// The row of the new generation about it.
  private(set) var row: PassArchiveRow
  /// The number of bytes written, including those of an open transaction.
  private var end: UInt64
  /// Whether some of them may not be on disk.
  private var isDirty = false

  /// Creates the file, or continues it.
  ///
  /// - Parameter row: The row of the new generation about it.
  /// - Throws: ``AnnalsError`` with code `incomplete` if the file is missing or too short.
  init(_ row: PassArchiveRow) throws(AnnalsError) {
    place = ArchivePlace(path: row.path)
    let directory = try place.directory()
    let name = Self.name(row.id)
    let size = try files { () throws(StoreFileError) in
      try Self.takeBack(row, in: directory)
      return try directory.status(of: name)?.size
    }
    guard row.length <= UInt64(clamping: size ?? 0) else {
      throw AnnalsError(
        .incomplete,
        "the unfinished archive '\(name)' next to '\(place.text)' has \(size ?? 0) bytes, and the migration pass has written \(row.length): put it back, or begin the pass again ('--restart')"
      )
    }
    file = try files { () throws(StoreFileError) in
      guard size != nil else {
        let file = try directory.create(name)
        try directory.synchronize()
        return file
      }
      let file = try directory.open(name, .readWrite)
      try file.truncate(to: Int(clamping: row.length))
      return file
    }
    self.directory = directory
    self.row = row
    self.row.isWhole = false
    end = row.length
    // How much of the existing content has reached the disk is not known.
    isDirty = row.length > 0
  }

  /// The name of the file until it is whole.
  static func name(_ id: UUID) -> String { "annals-archive-\(id.uuidString.lowercased())" }

  /// Discards lines written for a transaction that was not committed.
  func begin() { end = row.length }

  /// Writes the lines of some entries.
  func append(_ lines: Span<UInt8>) throws(AnnalsError) {
    guard !lines.isEmpty else { return }
    try files { () throws(StoreFileError) in try file.write(lines, at: Int(clamping: end)) }
    end += UInt64(lines.count)
    isDirty = true
  }

  /// The row for a transaction that puts the entries whose lines were written.
  var next: PassArchiveRow {
    var next = row
    next.length = end
    return next
  }

  /// Records that the transaction was committed.
  func commit() { row.length = end }

  /// Waits until the written bytes are on disk.
  func synchronize() throws(AnnalsError) {
    guard isDirty else { return }
    try files { () throws(StoreFileError) in try file.synchronize() }
    isDirty = false
  }

  /// Gives the whole file its name.
  ///
  /// - Throws: ``AnnalsError`` with code `cannotCreate` if the name is taken by now.
  func publish() throws(AnnalsError) {
    try synchronize()
    do throws(StoreFileError) {
      try directory.rename(Self.name(row.id), to: place.name, in: directory)
      try directory.synchronize()
    } catch .alreadyThere {
      throw place.taken
    } catch {
      throw AnnalsError(error)
    }
  }

  /// Removes the file of a discarded pass.
  ///
  /// - Parameter store: The store's directory. The archive of a store that was moved or copied may be in it
  ///   or next to it, and not where the row says.
  static func remove(_ row: PassArchiveRow, of store: Directory) throws(AnnalsError) {
    for directory in [store, above(store)] {
      guard let directory else { continue }
      if try remove(name(row.id), in: directory) { return }
    }
    let directory: Directory
    do throws(AnnalsError) { directory = try ArchivePlace(path: row.path).directory() } catch {
      // Without a directory there is no file.
      if error.code == .cannotCreate { return }
      throw error
    }
    try files { () throws(StoreFileError) in try takeBack(row, in: directory) }
    _ = try remove(name(row.id), in: directory)
  }

  /// Returns the parent directory of a store; `nil` if it cannot be opened.
  private static func above(_ store: Directory) -> Directory? { try? store.directory("..") }

  /// Removes the file of this name, durably.
  ///
  /// - Returns: Whether there was one.
  private static func remove(_ name: String, in directory: Directory) throws(AnnalsError) -> Bool {
    try files { () throws(StoreFileError) in
      guard try directory.status(of: name) != nil else { return false }
      try directory.remove(name)
      try directory.synchronize()
      return true
    }
  }

  /// Gives the whole file of a pass that did not switch the name of an unfinished one.
  private static func takeBack(_ row: PassArchiveRow, in directory: Directory) throws(StoreFileError) {
    let final = ArchivePlace(path: row.path).name
    guard row.isWhole, try directory.status(of: name(row.id)) == nil,
      let status = try directory.status(of: final), UInt64(clamping: status.size) == row.length
    else { return }
    try directory.rename(final, to: Array(name(row.id).utf8), in: directory)
    try directory.synchronize()
  }
}
