internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsShapes
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The file `keys.mdb` of a store: the keys of its subjects.
///
/// The first key creates it. Keys are added in place. Dropping one replaces the whole file, so that no free
/// page keeps its bytes.
final class KeyFile: Sendable {
  private static let stem = KeyNotes.stem
  /// The name of the file.
  static let name = KeyNotes.name
  /// The name of the file that replaces it, until it does.
  static let unfinished = stem + ".new.mdb"
  /// The locks of that file.
  static let unfinishedLocks = [stem + ".new.queue", stem + ".new.write"]
  private static let format: UInt32 = 1

  let environment: Environment
  /// The locks of the file; `nil` on a file system that is mounted read-only.
  let locks: EnvironmentLocks?
  /// The identity of the file, by which a replacement is noticed.
  let identity: FileIdentity
  /// Whether a subject without keys counts as one whose keys were dropped.
  let forgetsOthers: Bool

  var keys: Table { environment.table("keys") }
  var directory: Directory { environment.directory }

  private init(
    _ environment: Environment, _ locks: EnvironmentLocks?, _ identity: FileIdentity, forgetsOthers: Bool
  ) {
    self.environment = environment
    self.locks = locks
    self.identity = identity
    self.forgetsOthers = forgetsOthers
  }

  /// Returns the identity of the file in `directory`; `nil` if it is missing.
  static func identity(in directory: Directory) throws(AnnalsError) -> FileIdentity? {
    try files { () throws(StoreFileError) in try directory.status(of: name)?.identity }
  }

  /// Opens the file, or creates it.
  ///
  /// - Parameters:
  ///   - log: The log that the keys are for.
  ///   - creating: Whether to create a missing file, and how subjects without keys count in it; `nil` if it
  ///     is not created.
  /// - Returns: `nil` if the file is missing and not created.
  /// - Throws: `keyMissing` for a file of another log.
  static func open(
    in directory: Directory, of log: UUID, isReadOnly: Bool, creating forgetsOthers: Bool?
  ) throws(AnnalsError) -> KeyFile? {
    if forgetsOthers == nil, try identity(in: directory) == nil { return nil }
    let locks = try KeyNotes.locks(in: directory, isReadOnly: isReadOnly)
    let hold = try files { () throws(StoreFileError) in try locks?.open.lock(.exclusive) }
    if !isReadOnly { try finishReplacement(in: directory) }
    if try identity(in: directory) == nil {
      guard let forgetsOthers, let locks else { return nil }
      var rows = [("log", log.bytes), ("forgets", [forgetsOthers ? 1 : 0])]
      if forgetsOthers { rows.append((KeyDropsRow.name, KeyDropsRow(drops: [loss]).encoded())) }
      try replace(in: directory, locks, rows) { (_) throws(AnnalsError) in }
    }
    let environment = try environment(name, in: directory, locks, isReadOnly: isReadOnly, create: false)
    let identity = try identity(in: directory)
    _ = consume hold
    guard let identity else { throw AnnalsError(.keyMissing, "'\(name)' was removed while it was opened") }
    let file = KeyFile(environment, locks, identity, forgetsOthers: try forgets(environment, log))
    return file
  }

  /// What the log is to record of a file that replaces a lost one. So the open that creates the file clears
  /// everything that was worked out from values of the lost keys, as after a removal.
  ///
  /// The time keeps it apart from the record of an earlier loss.
  private static var loss: KeyDrop {
    KeyDrop(
      author: "SubjectKeys(ifMissing: .forget)",
      reason: "'\(name)' was missing at an open at \(Timestamp.now)", after: Position(0))
  }

  static func environment(
    _ name: String, in directory: Directory, _ locks: EnvironmentLocks?, isReadOnly: Bool, create: Bool
  ) throws(AnnalsError) -> Environment {
    var options = KeyNotes.options(isReadOnly: isReadOnly)
    options.create = create
    return try storage { () throws(EnvironmentError) in
      try Environment.open(
        name, in: directory, tables: KeyNotes.definitions, locks: locks, options: options)
    }
  }

  /// Checks the format and the log, and returns whether subjects without keys count as forgotten.
  private static func forgets(_ environment: Environment, _ log: UUID) throws(AnnalsError) -> Bool {
    let found = try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      var found: [[UInt8]?] = []
      for name in ["format", "log", "forgets"] {
        found.append(
          try value(Array(name.utf8), in: environment.table("meta"), transaction.view))
      }
      return found
    }
    guard found[0] == formatRow else {
      throw AnnalsError(
        .formatVersion, "'\(name)' has a format that this library does not read; use a newer one",
        details: AnnalsError.Details { $0.file = name })
    }
    guard found[1] == log.bytes else {
      throw AnnalsError(
        .keyMissing,
        "'\(name)' has the keys of another log, not of \(log): put the file of this store there, if it is kept elsewhere",
        details: AnnalsError.Details { $0.file = name })
    }
    return found[2] == [1]
  }

  static var formatRow: [UInt8] {
    var row: [UInt8] = []
    row.append(littleEndian: format)
    return row
  }

  /// Returns the content of a row; `nil` if there is none.
  static func value(
    _ key: [UInt8], in table: Table, _ view: TransactionView
  ) throws(AnnalsError) -> [UInt8]? {
    let stored: Span<UInt8>?
    do throws(EnvironmentError) { stored = try view.value(forKey: key.span, in: table) } catch {
      throw AnnalsError(error)
    }
    guard let stored else { return nil }
    do throws(FormatFailure) {
      return stored.extracting(try AnnalsFormat.Row.open(stored, key: key.span)).copied
    } catch {
      throw damaged(error)
    }
  }

  static func damaged(_ failure: FormatFailure) -> AnnalsError {
    AnnalsError(
      .damaged,
      "'\(name)': a row is not what was stored (\(failure)); put a copy of the file there that is kept elsewhere, or drop the key of the subject",
      details: AnnalsError.Details { $0.file = name }, underlying: failure)
  }
}

extension KeyFile {
  /// Returns the drops that the log may not record yet.
  func drops() throws(AnnalsError) -> [KeyDrop] { try Self.drops(metaRow(KeyDropsRow.name)) }

  /// Returns the newest drop that the log records, with the position and time of the record.
  func recordedDrop() throws(AnnalsError) -> KeyDrop? {
    guard var drop = try Self.drops(metaRow(KeyDropsRow.recordedName)).last else { return nil }
    if let time = try metaRow(KeyDropsRow.recordedTimeName) {
      do throws(FormatFailure) { drop.time = try KeyDropsRow.time(time.span, of: drop) } catch {
        throw Self.damaged(error)
      }
    }
    return drop
  }

  private func metaRow(_ name: String) throws(AnnalsError) -> [UInt8]? {
    try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try Self.value(Array(name.utf8), in: environment.table("meta"), transaction.view)
    }
  }

  private static func drops(_ value: [UInt8]?) throws(AnnalsError) -> [KeyDrop] {
    guard let value else { return [] }
    do throws(FormatFailure) { return try KeyDropsRow(value.span).drops } catch { throw damaged(error) }
  }

  /// Changes the drops that the log may not record yet, durably.
  ///
  /// - Parameter newest: The newest drop that the log records, with the position and time of the record;
  ///   `nil` to keep the one that is noted.
  /// - Throws: `storeReplaced` if the file was replaced; open it again then.
  func changeDrops(
    recording newest: KeyDrop? = nil, _ change: (inout [KeyDrop]) -> Void
  ) throws(AnnalsError) {
    let meta = environment.table("meta")
    try environment.write(durability: .full, failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      if let newest {
        for row in KeyDropsRow.recorded(newest) { try transaction.put(row.value, row.name, in: meta) }
      }
      let old = try Self.drops(Self.value(Array(KeyDropsRow.name.utf8), in: meta, transaction.view))
      var drops = old
      change(&drops)
      if drops == old { return }
      if drops.isEmpty {
        try transaction.remove(KeyDropsRow.name, in: meta)
      } else {
        try transaction.put(KeyDropsRow(drops: drops).encoded(), KeyDropsRow.name, in: meta)
      }
    }
  }

  /// Returns the row of a subject; `nil` if it has none.
  func row(of subject: String) throws(AnnalsError) -> KeyRow? {
    let name = KeyRow.name(of: subject)
    let value = try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try Self.value(name, in: keys, transaction.view)
    }
    return try value.map { (value) throws(AnnalsError) in try Self.parsed(value) }
  }

  /// Returns the content of a stored row, whose checksum is compared.
  static func content(_ stored: [UInt8], of name: [UInt8]) throws(AnnalsError) -> [UInt8] {
    do throws(FormatFailure) {
      return stored.span.extracting(try AnnalsFormat.Row.open(stored.span, key: name.span)).copied
    } catch {
      throw damaged(error)
    }
  }

  static func parsed(_ value: [UInt8]) throws(AnnalsError) -> KeyRow {
    do throws(FormatFailure) { return try KeyRow(value.span) } catch { throw damaged(error) }
  }

  /// Changes the row of a subject, durably.
  ///
  /// - Parameter change: Receives the row, and returns the new one; `nil` to leave it.
  /// - Returns: The row afterwards.
  /// - Throws: `storeReplaced` if the file was replaced; open it again then.
  func update(
    _ subject: String, _ change: (KeyRow?) throws(AnnalsError) -> KeyRow?
  ) throws(AnnalsError) -> KeyRow? {
    let name = KeyRow.name(of: subject)
    return try environment.write(durability: .full, failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) -> KeyRow? in
      let value = try Self.value(name, in: keys, transaction.view)
      let row = try value.map { (value) throws(AnnalsError) in try Self.parsed(value) }
      guard let new = try change(row) else { return row }
      let stored = AnnalsFormat.Row.seal(new.encoded(), key: name)
      do throws(EnvironmentError) {
        try transaction.put(stored.span, forKey: name.span, in: keys)
      } catch {
        throw AnnalsError(error)
      }
      return new
    }
  }
}
