import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open LMDB file with a fixed list of tables.
///
/// There is one for each file and process: opening a file again gives the same object. It is closed when nobody holds it and no transaction
/// of it lives.
public final class Environment: Sendable {
  /// The file's name.
  public let name: String

  /// The directory that the file is in.
  public let directory: Directory

  /// The tables, in the order of the definitions.
  public let tables: [Table]

  /// The tables that the file need not have, as far as they are open, in the order in which they were opened.
  let laterTables: Mutex<[Table]>
  /// Held while one of them is opened, and whether one is being created: LMDB allows one transaction at a time to do that.
  let openingLater = Mutex(false)

  /// What may be done.
  public let access: EnvironmentOptions.Access

  /// The directory's locks; `nil` where nobody can write.
  var locks: EnvironmentLocks? { currentLocks.withLock { $0 } }
  private let currentLocks: Mutex<EnvironmentLocks?>
  let handle: EnvironmentHandle
  let process: Int32
  let dataIdentity: FileIdentity
  /// The lock file that LMDB has open, as the open found it; `nil` where it uses none.
  let lockFile: FileStatus?
  let guards: EnvironmentOptions.Guards
  /// How it was opened.
  let options: EnvironmentOptions
  /// The longest that the file has been seen; it never becomes shorter.
  let knownSize: Atomic<Int>

  /// What keeps the map, and LMDB's environment itself, from being replaced under a transaction.
  let gate = MapGate()
  /// How many hold something of LMDB's environment while the gate does not count them, so that the map may be replaced but the environment not:
  /// snapshots that are moving on, and locks of its descriptor.
  let ties = Atomic(0)
  /// How many write transactions were begun.
  let writes = Atomic(0)
  /// Whether a change did not fit into the map.
  let wantsRoom = Atomic(false)
  /// From how many bytes in use on a larger map is asked for again, after one could not be had.
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
    process = getpid()
    dataIdentity = data.identity
    knownSize = Atomic(data.size)
  }

  deinit {
    // In a child the environment is the parent's: closing it would free the parent's reader slots.
    guard getpid() == process else { return }
    Self.close(handle, of: dataIdentity, under: guards.contains(.opening) ? locks?.open : nil)
  }

  /// The table of this name, which stands in the list that the environment was opened with.
  public func table(_ name: String) -> Table {
    guard let table = tables.first(where: { $0.definition.name == name }) else {
      preconditionFailure("no table \(name) was opened")
    }
    return table
  }

  /// Takes part in other locks from here on, with all who have the file open in this process.
  ///
  /// For a file that was built under locks of its own and is about to be used by others: before anybody else may open it, and while no write
  /// transaction lives.
  public func join(_ locks: EnvironmentLocks) {
    currentLocks.withLock { $0 = locks }
  }

  /// Whether the process that opened it is the parent of this one, which cannot use it.
  public var isInherited: Bool { getpid() != process }

  /// Makes sure that this is the process that opened it.
  func mustBeOwn() throws(EnvironmentError) {
    guard getpid() == process else { throw .file(.usedAfterFork) }
  }

  /// LMDB's environment, for the process that opened it.
  ///
  /// Only for those whom the gate counts, as long as it does, and for the one who keeps it closed.
  func pointer() throws(EnvironmentError) -> OpaquePointer {
    try mustBeOwn()
    guard handle.mapSize > 0 else { throw .lmdb(LMDBError(code: ENOMEM, function: "mdb_env_set_mapsize")) }
    return try unsafe handle.pointer()
  }

  /// Runs calls of LMDB that belong to no transaction, while its environment is neither replaced nor closed.
  ///
  /// Not inside a transaction: whoever waits for that one to end would keep this waiting.
  func inside<R>(_ body: () throws(EnvironmentError) -> R) throws(EnvironmentError) -> R {
    // First of all: in a child the gate may stay closed for ever.
    try mustBeOwn()
    gate.enter()
    defer { gate.leave() }
    return try body()
  }
}
