public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension SubjectKeys {
  /// Removes the keys of people that no event of a store needs any more: older keys, after a pass has
  /// encrypted their values with the newest key.
  ///
  /// ```swift
  /// try keys.rotate("c7")
  /// var options = MigrationOptions()
  /// options.renewsKeys = true
  /// _ = try await store.migrate(options).report()
  /// // After the store is closed in all programs:
  /// _ = try EventLog.discardPrevious(url)
  /// try SubjectKeys.removeUnused(ofStoreAt: url)
  /// ```
  ///
  /// When it returns, no file of the store has the bytes of these keys. The newest key of each person stays.
  /// Backups and archives that were made before the pass have values under the older keys: destroy them, or
  /// keep a copy of `keys.mdb` with them.
  ///
  /// - Parameter url: The store's directory.
  /// - Returns: The number of keys that were removed.
  /// - Throws: ``AnnalsError`` with code `busy` if any program has the store open with a plan, including this
  ///   one, if a pass runs, or while there is an older generation; `keyMissing` without the file, `damaged`,
  ///   `diskFull`, `inputOutput`, or as ``EventLog/init(at:options:)``.
  /// - Complexity: O(log) if any person has several keys, and O(persons) to write the file again.
  @discardableResult
  public static func removeUnused(ofStoreAt url: URL) throws(AnnalsError) -> Int {
    let log = try EventLog(at: url, options: StoreOptions(creation: .never))
    // An event may be encrypted and not stored yet. Programs that open the store from here on encrypt with
    // the newest keys, which stay.
    let programs = try log.programs()
    guard programs.isEmpty else {
      throw AnnalsError(
        .busy,
        "the store is open with a plan, in \(programs.map(\.description).joined(separator: "; ")): close it there first, because an event may be encrypted and not stored yet",
        details: AnnalsError.Details { $0.holder = programs.first?.process })
    }
    let directory = log.core.generation.directory
    let lock = try StoreOpening(directory: directory, options: log.options).passLock()
    guard let hold = try files({ () throws(StoreFileError) in try lock.tryLock(.exclusive) }) else {
      throw AnnalsError(.busy, "a pass, a rollback or an erasure is at work on this store; try again later")
    }
    let names = try files { () throws(StoreFileError) in try directory.names() }
    guard names.count(where: { CurrentFile.generation(ofFile: $0) != nil }) == 1 else {
      throw AnnalsError(
        .busy,
        "the store has an older generation, whose events may need older keys: run 'discard-previous' first")
    }
    let count = try removeUnused(of: log, in: directory)
    _ = consume hold
    return count
  }

  private static func removeUnused(of log: EventLog, in directory: Directory) throws(AnnalsError) -> Int {
    guard let file = try KeyFile.open(in: directory, of: log.id, isReadOnly: false, creating: nil) else {
      throw noFile
    }
    var rows: [(name: [UInt8], row: KeyRow)] = []
    try file.eachRow { (name, value) throws(AnnalsError) in
      rows.append((name, try KeyFile.parsed(KeyFile.content(value, of: name))))
    }
    var keys = KeysInUse(rows)
    try keys.read(log)
    let unused = keys.unused
    if unused.isEmpty { return 0 }
    try file.replace { (name, value) throws(AnnalsError) in
      guard let numbers = unused[name] else { return value }
      // Another program may have added a newer key meanwhile.
      var row = try KeyFile.parsed(KeyFile.content(value, of: name))
      row.keys.removeAll { numbers.contains($0.number) }
      return AnnalsFormat.Row.seal(row.encoded(), key: name)
    }
    return keys.count
  }
}
