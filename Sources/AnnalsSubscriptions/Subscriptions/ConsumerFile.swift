internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
package import LMDB
import Synchronization

/// The file `consumers.mdb` of a store: the checkpoints of its consumers and their dead letters.
///
/// The file is not a cache: if it is lost, entries are handled again and dead letters are forgotten. The
/// first checkpoint creates it.
package final class ConsumerFile: Sendable {
  /// The tables of the file.
  package static let definitions = [
    TableDefinition("checkpoints", integerKeys: false), TableDefinition("letters", integerKeys: false),
    TableDefinition("meta", integerKeys: false),
  ]
  /// The name of the file and its locks, without an ending.
  package static let stem = "consumers"
  private static let unfinished = "consumers.new"
  /// The directory of the file in that of the store.
  package static let directoryName = "views"
  /// The format of a file with no letters, or only letters of an older library.
  private static let format: UInt32 = 1
  /// The newest format that this library reads and writes.
  private static let newestFormat: UInt32 = 2
  /// The address space reserved for the file.
  private static let mapSize = 1 << 34

  let environment: Environment
  let directory: Directory
  let checkpoints: Table
  let letters: Table

  private init(_ environment: Environment, _ directory: Directory) {
    self.environment = environment
    self.directory = directory
    checkpoints = environment.table("checkpoints")
    letters = environment.table("letters")
  }

  /// Opens the file in a store's directory, after checking all of its pages.
  ///
  /// - Parameter creating: Whether to create a missing file.
  /// - Returns: `nil` if the file is missing and not created.
  /// - Complexity: O(size of the file).
  static func open(
    in store: Directory, _ access: StoreOptions.Access, creating: Bool
  ) throws(AnnalsError) -> ConsumerFile? {
    guard let directory = try files({ () throws(StoreFileError) in try place(in: store, creating) }) else {
      return nil
    }
    let isThere = { () throws(AnnalsError) -> Bool in
      try files { () throws(StoreFileError) in try directory.status(of: stem + ".mdb") != nil }
    }
    if !creating, try !isThere() { return nil }
    let locks = try files { () throws(StoreFileError) in
      EnvironmentLocks(
        open: try lock("open", in: directory, access), queue: try lock("queue", in: directory, access),
        write: try lock("write", in: directory, access))
    }
    let hold = try files { () throws(StoreFileError) in try locks.open.lock(.exclusive) }
    if try !isThere() {
      try create(in: directory, locks)
    }
    let environment = try environment(stem, in: directory, locks, access, create: false)
    _ = consume hold
    let file = ConsumerFile(environment, directory)
    try file.mustBeKnown()
    return file
  }

  private static func place(in store: Directory, _ creating: Bool) throws(StoreFileError) -> Directory? {
    do throws(StoreFileError) { return try store.directory(directoryName) } catch .missing {
      guard creating else { return nil }
    }
    do throws(StoreFileError) {
      let created = try store.createDirectory(directoryName)
      try store.synchronize()
      return created
    } catch .alreadyThere {
      return try store.directory(directoryName)
    }
  }

  private static func lock(
    _ ending: String, in directory: Directory, _ access: StoreOptions.Access
  ) throws(StoreFileError) -> FileLock {
    let name = "\(stem).\(ending)"
    if access == .readWrite { return try FileLock(name, in: directory) }
    return try FileLock(name, in: directory, create: false)
  }

  private static func environment(
    _ stem: String, in directory: Directory, _ locks: EnvironmentLocks, _ access: StoreOptions.Access,
    create: Bool
  ) throws(AnnalsError) -> Environment {
    try storage { () throws(EnvironmentError) in
      try Environment.open(
        stem + ".mdb", in: directory, tables: definitions, locks: locks,
        options: EnvironmentOptions(
          access: access == .readWrite ? .readWrite : .readOnly, create: create, mapSize: mapSize,
          checkedSize: .max))
    }
  }

  /// Creates the file under another name and renames it, so that no process finds an incomplete file. The
  /// caller must hold `consumers.open`.
  private static func create(in directory: Directory, _ locks: EnvironmentLocks) throws(AnnalsError) {
    let leftovers = [unfinished + ".mdb", unfinished + ".mdb-lock"]
    func removeLeftovers() throws(AnnalsError) {
      try files { () throws(StoreFileError) in
        for name in leftovers where try directory.status(of: name) != nil { try directory.remove(name) }
      }
    }
    try removeLeftovers()
    do {
      let created = try environment(unfinished, in: directory, locks, .readWrite, create: true)
      var value: [UInt8] = []
      value.append(littleEndian: format)
      let row = value
      try created.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
        try transaction.put(row, "format", in: created.table("meta"))
      }
    }
    try files { () throws(StoreFileError) in
      try directory.rename(unfinished + ".mdb", to: stem + ".mdb", in: directory)
      try directory.synchronize()
    }
    try removeLeftovers()
  }

  private func mustBeKnown() throws(AnnalsError) {
    let format: UInt32? = try read { (view) throws(AnnalsError) in
      let key = Array("format".utf8)
      return try row(key, in: environment.table("meta"), view) { (bytes) throws(FormatFailure) in
        var reader = ByteReader(bytes)
        return try reader.littleEndian(UInt32.self)
      }
    }
    guard let format, (Self.format...Self.newestFormat).contains(format) else {
      throw AnnalsError(
        .formatVersion,
        "'consumers.mdb' has format \(format.map { "\($0)" } ?? "none"), and this library reads \(Self.format) to \(Self.newestFormat); use a newer one",
        details: AnnalsError.Details { $0.file = "consumers.mdb" })
    }
  }

  /// Raises the format of the file to that of a row, so that libraries that cannot read the row refuse the
  /// file.
  func raiseFormat(
    for row: DeadLetterRow, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    guard row.format > Self.format else { return }
    var value: [UInt8] = []
    value.append(littleEndian: row.format)
    try transaction.put(value, "format", in: environment.table("meta"))
  }

  /// Calls `body` with a snapshot.
  func read<Result>(_ body: (TransactionView) throws(AnnalsError) -> Result) throws(AnnalsError) -> Result {
    try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try body(transaction.view)
    }
  }

  /// Calls `body` with a write transaction. The file stays consistent after a power loss, which may lose the
  /// last transaction.
  func write(_ body: (inout WriteTransaction) throws(AnnalsError) -> Void) throws(AnnalsError) {
    try environment.write(durability: .relaxed, failure: AnnalsError.init, body)
  }

  /// Returns the row for a key; `nil` if there is none.
  func row<Value>(
    _ key: [UInt8], in table: Table, _ view: TransactionView,
    _ parse: (Span<UInt8>) throws(FormatFailure) -> Value
  ) throws(AnnalsError) -> Value? {
    let stored: Span<UInt8>?
    do throws(EnvironmentError) { stored = try view.value(forKey: key.span, in: table) } catch {
      throw AnnalsError(error)
    }
    guard let stored else { return nil }
    return try parsed(stored, key: key.span, in: table, parse)
  }

  /// Parses the content of a row.
  func parsed<Value>(
    _ stored: Span<UInt8>, key: Span<UInt8>, in table: Table,
    _ parse: (Span<UInt8>) throws(FormatFailure) -> Value
  ) throws(AnnalsError) -> Value {
    do throws(FormatFailure) { return try parse(stored.extracting(try Row.open(stored, key: key))) } catch {
      throw AnnalsError(
        .damaged,
        "'consumers.mdb', table '\(table.definition.name)': a row is not what was stored (\(error)); remove the file while nobody has the store open, and let consumers begin from positions that are certain",
        details: AnnalsError.Details {
          $0.file = "consumers.mdb"
          $0.table = table.definition.name
        }, underlying: error)
    }
  }
}

/// The file of a log's consumers, from the first use on.
private final class SharedConsumerFile: Sendable {
  let file = Mutex<ConsumerFile?>(nil)
}

extension LogCore {
  /// Returns the file of the consumers. The first caller opens it.
  ///
  /// - Parameter creating: Whether to create a missing file.
  /// - Returns: `nil` if the file is missing and not created.
  func consumers(creating: Bool) throws(AnnalsError) -> ConsumerFile? {
    let shared = attachments.value(SharedConsumerFile.self) { SharedConsumerFile() }
    return try shared.file.withLock { (known) throws(AnnalsError) in
      if known == nil {
        known = try ConsumerFile.open(in: generation.directory, access, creating: creating)
      }
      return known
    }
  }
}

extension EventLog {
  /// Throws unless this value may change consumers. Others of this process may be open for writing.
  func mustChangeConsumers() throws(AnnalsError) {
    guard options.access == .readWrite else {
      throw AnnalsError(
        .readOnly,
        "the store was opened for reading only, so no checkpoint or dead letter can be changed; open it with access .readWrite"
      )
    }
  }

  /// Returns the file of the consumers for changes, creating it if it is missing.
  func createdConsumers() throws(AnnalsError) -> ConsumerFile {
    try mustChangeConsumers()
    guard let file = try core.consumers(creating: true) else {
      throw AnnalsError(.inputOutput, "'consumers.mdb' was removed while it was being opened; try again")
    }
    return file
  }
}
