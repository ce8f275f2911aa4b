import CAnnals
import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open LMDB file with a fixed list of tables.
///
/// Each file has one environment in a process: opening a file again returns the same object. It is closed
/// when nothing retains it and it has no live transaction.
public final class Environment: Sendable {
  /// The file's name.
  public let name: String

  /// The directory that the file is in.
  public let directory: Directory

  /// The tables, in the order of the definitions.
  public let tables: [Table]

  /// The open optional tables, in the order in which they were opened.
  let laterTables: Mutex<[Table]>
  /// Locked while such a table is opened; the value is whether one is being created. LMDB allows only one
  /// transaction at a time to do that.
  let openingLater = Mutex(false)

  /// The allowed access.
  public let access: EnvironmentOptions.Access

  /// The directory's locks; `nil` if no process can write.
  var locks: EnvironmentLocks? { currentLocks.withLock { $0 } }
  private let currentLocks: Mutex<EnvironmentLocks?>
  let handle: EnvironmentHandle
  let process: Int32
  let dataIdentity: FileIdentity
  /// The lock file that LMDB has open, as it was at the open; `nil` if LMDB uses none.
  let lockFile: FileStatus?
  let guards: EnvironmentOptions.Guards
  /// The options of the open.
  let options: EnvironmentOptions
  /// The largest observed size of the file, which never becomes shorter.
  let knownSize: Atomic<Int>

  /// The gate that prevents a replacement of the map, and of LMDB's environment, during a transaction.
  let gate = MapGate()
  /// The number of users of LMDB's environment that the gate does not count, so that the map may be replaced
  /// but not the environment: snapshots that are being renewed, and locks of its descriptor.
  let ties = Atomic(0)
  /// The mark of this file in this run of the system, for records of the journal.
  let fileRun: [UInt8]
  /// The offset of the journal's first slot; 0 while none is in use.
  let journalOffset = Atomic(0)
  /// See ``recordsCommits``.
  let isRecording = Atomic(false)
  /// Whether the next commit writes the newest meta page again before its flush: the first one after an open,
  /// and after a failed flush. In a file with a journal it also flushes twice, regardless of its durability.
  let flushesTwice = Atomic(true)
  /// The time of the directory's last change at a complete check of the names; -1 before the first one.
  let checkedChange = Atomic<Int64>(-1)
  /// The address of the map, once a page in it has been compared with the file; 0 before.
  let mapAddress = Atomic<UInt>(0)
  /// The number of write transactions begun.
  let writes = Atomic(0)
  /// Whether a change did not fit into the map.
  let wantsRoom = Atomic(false)
  /// The bytes in use from which a larger map is requested again, after one was unavailable.
  let nextGrowth = Atomic(0)

  init(
    name: String, directory: Directory, tables: [Table], later: [Table], locks: EnvironmentLocks?,
    options: EnvironmentOptions, handle: EnvironmentHandle, data: FileStatus,
    lockFile: FileStatus?
  ) {
    self.name = name
    self.directory = directory
    self.tables = tables
    laterTables = Mutex(later)
    currentLocks = Mutex(locks)
    self.handle = handle
    self.lockFile = lockFile
    access = options.access
    guards = options.guards
    self.options = options
    process = annals_process()
    dataIdentity = data.identity
    fileRun = CommitRecord.fileRun(of: data.identity)
    knownSize = Atomic(data.size)
  }

  deinit {
    // In a child process the environment belongs to the parent: closing it would free the parent's reader
    // slots.
    guard !isInherited else { return }
    Self.close(handle, of: dataIdentity, under: guards.contains(.opening) ? locks?.open : nil)
  }

  /// Returns the table with this name, which must be in the list with which the environment was opened.
  public func table(_ name: String) -> Table {
    guard let table = tables.first(where: { $0.definition.name == name }) else {
      preconditionFailure("no table \(name) was opened")
    }
    return table
  }

  /// Returns whether the name still refers to the open file.
  public func isCurrent() throws(StoreFileError) -> Bool {
    try directory.status(of: name)?.identity == dataIdentity
  }

  /// Uses other locks from now on, for all users of the file in this process.
  ///
  /// This is for a file that was built under locks of its own and is about to be shared. Call it before any
  /// other process may open the file, and while no write transaction is live.
  public func join(_ locks: EnvironmentLocks) {
    currentLocks.withLock { $0 = locks }
    checkedChange.store(-1, ordering: .relaxed)
  }

  /// Whether this process was forked from the one that opened it, and so cannot use it.
  public var isInherited: Bool { annals_process() != process }

  /// Throws unless this is the process that opened it.
  func mustBeOwn() throws(EnvironmentError) {
    guard !isInherited else { throw .file(.usedAfterFork) }
  }

  /// Returns LMDB's environment, for the process that opened it.
  ///
  /// Only for callers that the gate counts, as long as it does, and for the one that keeps it closed.
  func pointer() throws(EnvironmentError) -> OpaquePointer {
    try mustBeOwn()
    guard handle.mapSize > 0 else { throw .lmdb(LMDBError(code: ENOMEM, function: "mdb_env_set_mapsize")) }
    return try unsafe handle.pointer()
  }

  /// Runs calls of LMDB that belong to no transaction, while its environment is neither replaced nor closed.
  ///
  /// Do not call this inside a transaction: a thread that waits for the end of that transaction would make
  /// this wait too.
  func inside<R>(_ body: () throws(EnvironmentError) -> R) throws(EnvironmentError) -> R {
    // This must be first: in a child process the gate may stay closed forever.
    try mustBeOwn()
    gate.enter()
    defer { gate.leave() }
    return try body()
  }
}
