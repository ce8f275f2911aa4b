internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsShapes
internal import LMDB

// Replacing the file, in steps of which each leaves either the old file or the new one:
//   1. `keys.new.mdb` is written and synced, with LMDB's `keys.new.mdb-lock`;
//   2. it is renamed to `keys.mdb`, and the directory is synced: the old file has no name any more;
//   3. `keys.mdb-lock`, which belongs to the old file, is removed;
//   4. `keys.new.mdb-lock` is removed.
// A kill before 2 leaves the old file, and one after it the new file. The next opener removes the rest, which
// it recognises by the files of step 1. All of it happens while `keys.open` is held, so nobody opens either
// file in between.
extension KeyFile {
  /// Drops the keys of a subject: replaces the file by one in which the subject has none.
  ///
  /// - Parameter drop: What the log is to record. It is in the new file, so that a kill leaves both or none.
  /// - Throws: `storeReplaced` if the file was replaced meanwhile; open it again then.
  func drop(_ subject: String, recording drop: KeyDrop) throws(AnnalsError) {
    let dropped = KeyRow.name(of: subject)
    let row = (dropped, AnnalsFormat.Row.seal(KeyRow.dropped.encoded(), key: dropped))
    // A damaged row stays as it is, unless it is the one to drop.
    try replace(adding: row, recording: drop) { (name, value) in name == dropped ? nil : value }
  }

  /// Replaces the file by one with other rows.
  ///
  /// - Parameters:
  ///   - row: A row that is added, with its checksum.
  ///   - drop: What the log is to record; `nil` for nothing.
  ///   - change: Receives the name of each row, and its value with the checksum. It returns the new value;
  ///     `nil` to leave the row out.
  /// - Throws: `storeReplaced` if the file was replaced meanwhile; open it again then.
  func replace(
    adding row: (name: [UInt8], value: [UInt8])? = nil, recording drop: KeyDrop? = nil,
    _ change: (_ name: [UInt8], _ value: [UInt8]) throws(AnnalsError) -> [UInt8]?
  ) throws(AnnalsError) {
    guard let locks, environment.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    let hold = try files { () throws(StoreFileError) in try locks.open.lock(.exclusive) }
    // Nobody adds a key that the new file would lack.
    let turn = try storage { () throws(EnvironmentError) in try environment.turn() }
    guard try Self.identity(in: directory) == identity else {
      throw AnnalsError(
        .storeReplaced, "'\(Self.name)' was replaced while a key was dropped; try again",
        details: AnnalsError.Details { $0.file = Self.name })
    }
    var rows: [(name: String, value: [UInt8])] = []
    for name in ["log", "forgets"] {
      let value = try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
        try Self.value(Array(name.utf8), in: environment.table("meta"), transaction.view)
      }
      rows.append((name, value ?? []))
    }
    var drops = try drops()
    if let drop { drops.append(drop) }
    if !drops.isEmpty { rows.append((KeyDropsRow.name, KeyDropsRow(drops: drops).encoded())) }
    if let newest = try recordedDrop() { rows += KeyDropsRow.recorded(newest) }
    try Self.replace(in: directory, locks, rows) { (put) throws(AnnalsError) in
      try eachRow { (name, value) throws(AnnalsError) in
        if let changed = try change(name, value) { try put(name, changed) }
      }
      if let row { try put(row.name, row.value) }
    }
    _ = consume turn
    _ = consume hold
  }

  /// Reads all rows of subjects.
  func eachRow(
    _ body: (_ name: [UInt8], _ value: [UInt8]) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      var cursor: Cursor
      do throws(EnvironmentError) { cursor = try transaction.view.cursor(in: keys) } catch {
        throw AnnalsError(error)
      }
      while let row = try Self.next(&cursor) { try body(row.key, row.value) }
    }
  }

  private static func next(
    _ cursor: inout Cursor
  ) throws(AnnalsError) -> (key: [UInt8], value: [UInt8])? {
    do throws(EnvironmentError) {
      guard let row = try cursor.next() else { return nil }
      return (row.key.copied, row.value.copied)
    } catch {
      throw AnnalsError(error)
    }
  }

  /// Writes a new file and gives it the name of the old one, if there is one. The caller holds `keys.open`.
  ///
  /// - Parameters:
  ///   - rows: The rows of `meta`.
  ///   - fill: Puts the rows of subjects, each with its checksum.
  static func replace(
    in directory: Directory, _ locks: EnvironmentLocks, _ rows: [(name: String, value: [UInt8])],
    _ fill: ((_ key: [UInt8], _ value: [UInt8]) throws(AnnalsError) -> Void) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    try finishReplacement(in: directory)
    var pending: [(key: [UInt8], value: [UInt8])] = []
    try fill { (key, value) in pending.append((key, value)) }
    do {
      // The turn at writing the old file may be held here, by locks of another opener in this process.
      let own = try files { () throws(StoreFileError) in
        EnvironmentLocks(
          open: locks.open, queue: try FileLock(unfinishedLocks[0], in: directory),
          write: try FileLock(unfinishedLocks[1], in: directory))
      }
      let file = try environment(unfinished, in: directory, own, isReadOnly: false, create: true)
      let (meta, keys, content) = (file.table("meta"), file.table("keys"), pending)
      try file.write(durability: .full, failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
        try transaction.put(formatRow, "format", in: meta)
        for row in rows { try transaction.put(row.value, row.name, in: meta) }
        for row in content {
          do throws(EnvironmentError) {
            try transaction.put(row.value.span, forKey: row.key.span, in: keys)
          } catch {
            throw AnnalsError(error)
          }
        }
      }
    }
    KeyPoint.reach(.written)
    try files { () throws(StoreFileError) in
      try directory.rename(unfinished, replacing: name)
      KeyPoint.reach(.renamed)
      try directory.synchronize()
    }
    KeyPoint.reach(.synced)
    try finishReplacement(in: directory)
  }

  /// Finishes or withdraws a replacement that was interrupted. The caller holds `keys.open`.
  static func finishReplacement(in directory: Directory) throws(AnnalsError) {
    try files { () throws(StoreFileError) in
      let (newLock, lock) = (unfinished + "-lock", name + "-lock")
      for name in unfinishedLocks where try directory.status(of: name) != nil { try directory.remove(name) }
      if try directory.status(of: unfinished) != nil {
        // It may not be whole, and the old file is still there.
        if try directory.status(of: newLock) != nil { try directory.remove(newLock) }
        try directory.remove(unfinished)
        try directory.synchronize()
      } else if try directory.status(of: newLock) != nil {
        try directory.synchronize()
        if try directory.status(of: lock) != nil { try directory.remove(lock) }
        KeyPoint.reach(.unlocked)
        try directory.remove(newLock)
      }
    }
  }
}

/// A step of dropping a key, at which tests end the process.
package enum KeyPoint: String, CaseIterable, Sendable {
  /// The replacement of the file.
  case written, renamed, synced, unlocked
  /// The log records the drop, and the file does not know that yet.
  case recorded

  /// Is called at each step; only tests set it.
  ///
  /// It is a structure, because a task-local value of the closure's own type crashes in optimised code of
  /// Swift 6.3.
  package struct Observer: Sendable {
    let reach: @Sendable (KeyPoint) -> Void

    package init(reach: @escaping @Sendable (KeyPoint) -> Void) { self.reach = reach }
  }

  @TaskLocal package static var observer: Observer?

  static func reach(_ point: KeyPoint) { observer?.reach(point) }
}
