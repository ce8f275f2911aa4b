internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
package import AnnalsCoding
package import LMDB
import Synchronization

/// The open file of one view: the rows of one version of a projection, and the checkpoint up to which it has
/// read.
package final class ViewFile: Sendable {
  /// The tables of every view: rows and the entries of secondary keys by space and key, and the facts about
  /// the view as a whole.
  package static let definitions = [
    TableDefinition("rows", integerKeys: false), TableDefinition("meta", integerKeys: false),
    TableDefinition("changes", integerKeys: true),
  ]
  /// The address space reserved for a view at first. It grows with the file.
  static let mapSize = 16 << 20
  /// The least room with which a batch begins, while the view follows the log and while it is built.
  private static let room = (live: 8 << 20, building: 16 << 20)

  /// The number in the names of its files.
  package let number: UInt64
  /// The projection's name, for errors.
  let name: String
  package let directory: Directory
  package let environment: Environment
  package let rows: Table
  let meta: Table
  let changes: Table
  /// A signal raised by every commit of this process, and by those of others while the file is watched
  /// (``watch()``).
  package let commits = Signal()
  /// Whether all commits are on disk, as far as this process knows.
  let isSynced = Atomic(true)
  /// Whether a read has found damage.
  let isSpoilt = Atomic(false)
  /// The lease that prevents others from removing the file; `nil` while this process folds it, because the
  /// right to fold does the same.
  private let lease: Mutex<ViewLease?>
  let watching = Mutex(Watching())

  private init(
    number: UInt64, name: String, _ directory: Directory, _ environment: Environment, _ lease: ViewLease
  ) {
    self.number = number
    self.name = name
    self.directory = directory
    self.environment = environment
    self.lease = Mutex(lease)
    rows = environment.table("rows")
    meta = environment.table("meta")
    changes = environment.table("changes")
  }

  /// Releases the lease, for a caller that has the right to fold the file.
  func releaseLease() { lease.withLock { $0 = nil } }

  /// Takes the lease again, for a caller that is about to return the right to fold the file.
  ///
  /// Without it, other processes may remove the file, whose rows can be read on.
  func retakeLease() {
    let name = Self.stem(number) + ".lease"
    let taken = try? files { () throws(StoreFileError) in
      try ViewLease(Self.lockFile(name, in: directory, environment.access))
    }
    lease.withLock { $0 = taken }
  }

  /// Returns the prefix of the names of a view's files.
  package static func stem(_ number: UInt64) -> String {
    let digits = String(number)
    return "v-" + String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
  }

  /// Opens the file of a view, or creates an empty one.
  ///
  /// A damaged page that is read here, or to withdraw the view, is an error. LMDB trusts its file, and would
  /// end the process.
  ///
  /// - Parameter trust: Whether every other page is checked, too.
  static func open(
    _ number: UInt64, called name: String, in directory: Directory, create: Bool = false,
    access: EnvironmentOptions.Access = .readWrite, trust: StoreOptions.Trust = .own,
    mapSize: Int = ViewFile.mapSize
  ) throws(AnnalsError) -> ViewFile {
    let stem = stem(number)
    let (lease, locks) = try files { () throws(StoreFileError) in
      let lease = try ViewLease(lockFile(stem + ".lease", in: directory, access))
      let locks = EnvironmentLocks(
        open: try lockFile(stem + ".open", in: directory, access, keepsOpen: false),
        queue: try lockFile(stem + ".queue", in: directory, access, keepsOpen: false),
        write: try lockFile(stem + ".write", in: directory, access, keepsOpen: false))
      return (lease, locks)
    }
    let pages = ViewPages(number, called: name, in: directory)
    if !create { try pages.mustBeUsable(writers: locks.write) }
    let environment = try storage { () throws(EnvironmentError) in
      try Environment.open(
        stem + ".mdb", in: directory, tables: definitions, locks: locks,
        options: EnvironmentOptions(access: access, create: create, mapSize: mapSize))
    }
    if !create, trust == .nobody { try pages.mustBeSound(in: environment) }
    return ViewFile(number: number, name: name, directory, environment, lease)
  }

  /// Opens a lock file. A reader only needs permission to read it.
  package static func lockFile(
    _ name: String, in directory: Directory, _ access: EnvironmentOptions.Access, keepsOpen: Bool = true
  ) throws(StoreFileError) -> FileLock {
    if access == .readWrite { return try FileLock(name, in: directory, keepsOpen: keepsOpen) }
    do { return try FileLock(name, in: directory, create: false, keepsOpen: keepsOpen) } catch .missing {
      return try FileLock(name, in: directory, keepsOpen: keepsOpen)
    }
  }

  /// Returns the rows inside a transaction.
  @_lifetime(copy view)
  func source(_ view: TransactionView, _ conversions: RowConversions? = nil) -> RowSource {
    RowSource(view, rows, name: name, of: self, conversions: conversions)
  }

  /// Takes a larger map if a batch may need it.
  func makeRoom() throws(AnnalsError) {
    let room = isSynced.load(ordering: .relaxed) ? Self.room.live : Self.room.building
    do { try environment.makeRoom(atLeast: room) } catch { throw failure(error) }
  }

  /// Calls `body` with a snapshot.
  package func read<Result>(_ body: (TransactionView) throws(AnnalsError) -> Result) throws(AnnalsError)
    -> Result
  {
    try environment.read(failure: failure) { (transaction) throws(AnnalsError) in
      try body(transaction.view)
    }
  }
}

/// A shared lease on a view's files, held until this value ends. No process removes the files while any
/// process holds it.
package final class ViewLease: Sendable {
  private let hold: FileLock.Hold

  /// Takes the lease. A remover holds it only while the directory is locked, as the caller holds it now.
  package init(_ lock: FileLock) throws(StoreFileError) {
    hold = try lock.lock(.shared)
  }
}
