package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsShapes
package import LMDB

/// The file of the keys of personal fields, `keys.mdb`, as far as no key is needed: the removals that it
/// notes.
///
/// The product `AnnalsKeys` writes the file. A program without it reads the notes, to say which removals are
/// not complete.
package enum KeyNotes {
  /// The beginning of the names of the file and its locks.
  package static let stem = "keys"
  /// The name of the file.
  package static let name = stem + ".mdb"
  /// The tables of the file.
  package static let definitions = [
    TableDefinition("keys", integerKeys: false), TableDefinition("meta", integerKeys: false),
  ]

  /// Returns the options for opening the file. A damaged page can hide keys, so up to 64 MiB are checked.
  package static func options(isReadOnly: Bool) -> EnvironmentOptions {
    EnvironmentOptions(
      access: isReadOnly ? .readOnly : .readWrite, mapSize: 1 << 32, checkedSize: 64 << 20)
  }

  /// Returns the locks of the file.
  ///
  /// - Returns: `nil` on a file system that is mounted read-only.
  package static func locks(
    in directory: Directory, isReadOnly: Bool
  ) throws(AnnalsError) -> EnvironmentLocks? {
    func locks(create: Bool) throws(StoreFileError) -> EnvironmentLocks {
      EnvironmentLocks(
        open: try FileLock(stem + ".open", in: directory, create: create),
        queue: try FileLock(stem + ".queue", in: directory, create: create),
        write: try FileLock(stem + ".write", in: directory, create: create))
    }
    return try files { () throws(StoreFileError) in
      if isReadOnly, try directory.fileSystem().isReadOnly { return nil }
      do throws(StoreFileError) { return try locks(create: true) } catch .permission where isReadOnly {
        return try locks(create: false)
      }
    }
  }

  /// Reads the removals that the log may not record yet, oldest first.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `busy` or `inputOutput`.
  package static func drops(in directory: Directory, isReadOnly: Bool) throws(AnnalsError) -> [KeyDrop] {
    let isThere = { () throws(AnnalsError) -> Bool in
      try files { () throws(StoreFileError) in try directory.status(of: name) != nil }
    }
    guard try isThere() else { return [] }
    let locks = try locks(in: directory, isReadOnly: isReadOnly)
    // Nobody replaces the file meanwhile, or finishes an interrupted replacement.
    let hold = try files { () throws(StoreFileError) in try locks?.open.lock(.exclusive) }
    guard try isThere() else { return [] }
    let environment = try storage { () throws(EnvironmentError) in
      try Environment.open(
        name, in: directory, tables: definitions, locks: locks, options: options(isReadOnly: isReadOnly))
    }
    let key = Array(KeyDropsRow.name.utf8)
    let drops = try environment.read(failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) -> [KeyDrop] in
      let stored: Span<UInt8>?
      do throws(EnvironmentError) {
        stored = try transaction.view.value(forKey: key.span, in: environment.table("meta"))
      } catch {
        throw AnnalsError(error)
      }
      guard let stored else { return [] }
      do throws(FormatFailure) {
        return try KeyDropsRow(stored.extracting(try Row.open(stored, key: key.span))).drops
      } catch {
        throw AnnalsError(
          .damaged, "'\(name)': the row '\(KeyDropsRow.name)' is not what was stored (\(error))",
          details: AnnalsError.Details { $0.file = name })
      }
    }
    _ = consume hold
    return drops
  }
}
