import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// LMDB's environment, closed once for each time that it was opened.
///
/// `@unchecked Sendable`: liblmdb allows calls on an open environment from every thread, so only the variable
/// needs a proof. Until the `Environment` is created, only the opening thread has this object. From then on
/// `opened` is read by callers that the environment's gate counts. It is changed by the one that keeps the
/// gate closed, and so knows that it counts none. The gate's acquiring and releasing orders the two. The last
/// close happens when nothing retains the `Environment` any more, while the registry's lock is held.
@safe
final class EnvironmentHandle: @unchecked Sendable {
  /// LMDB's environment; `nil` once it is closed.
  private var opened: OpaquePointer?
  private let size: Atomic<Int>

  private init(pointer: OpaquePointer, mapSize: Int) {
    unsafe opened = unsafe pointer
    size = Atomic(mapSize)
  }

  /// Returns LMDB's environment, for callers that the gate counts and the one that keeps it closed.
  ///
  /// - Throws: LMDB's `MDB_PANIC` if it was closed and could not be opened again.
  func pointer() throws(EnvironmentError) -> OpaquePointer {
    guard let opened = unsafe opened else {
      throw .lmdb(LMDBError(code: MDB_PANIC, function: "mdb_env_open"))
    }
    return unsafe opened
  }

  /// Takes over the environment that `other` has opened, after ``close()``; only while the gate is closed.
  func adopt(_ other: EnvironmentHandle) {
    unsafe opened = unsafe other.opened
    unsafe other.opened = nil
    size.store(other.mapSize, ordering: .relaxed)
  }

  /// The reserved address space; 0 after a new reservation has failed.
  var mapSize: Int { size.load(ordering: .relaxed) }

  /// Replaces the map; only while no transaction is live. After an error there is none, and nothing can be
  /// used any more.
  func resize(to wanted: Int) throws(EnvironmentError) {
    let code = try unsafe mdb_env_set_mapsize(pointer(), wanted)
    size.store(code == MDB_SUCCESS ? wanted : 0, ordering: .relaxed)
    try check(code, "mdb_env_set_mapsize")
  }

  /// Returns LMDB's own descriptor of the data file.
  func descriptor() throws(EnvironmentError) -> Int32 {
    var descriptor: Int32 = -1
    try unsafe check(mdb_env_get_fd(pointer(), &descriptor), "mdb_env_get_fd")
    return descriptor
  }

  /// Closes the environment; only for the holder of the registry's lock.
  func close() {
    guard let pointer = unsafe opened else { return }
    unsafe opened = nil
    unsafe mdb_env_close(pointer)
  }

  /// Opens an environment, and halves the map until the process can reserve that much address space.
  ///
  /// The same amount of address space is left free for other needs of the process.
  ///
  /// - Parameters:
  ///   - used: The least bytes of the map.
  ///   - share: The most bytes of the map, unless it needs more.
  static func open(
    path: [UInt8], name: String, flags: UInt32, tables: Int, used: Int, share: Int,
    options: EnvironmentOptions
  ) throws(EnvironmentError) -> EnvironmentHandle {
    let least = max(used + used / 4, 1 << 20)
    var mapSize = max(min(options.mapSize, share), least) / pageSize * pageSize
    while mapSize / 2 >= least, !isFree(mapSize * 2) {
      mapSize = mapSize / 2 / pageSize * pageSize
    }
    while true {
      do {
        return try open(
          path: path, name: name, flags: flags, tables: tables, mapSize: mapSize, options: options)
      } catch .lmdb(let error) where error.code == ENOMEM && mapSize / 2 >= least {
        mapSize = mapSize / 2 / pageSize * pageSize
      }
    }
  }

  private static func opened(
    at path: [UInt8], _ open: (UnsafePointer<CChar>) -> Int32
  ) throws(EnvironmentError) -> Int32 {
    try files { () throws(StoreFileError) in
      try unsafe withPath(path) { (path) throws(StoreFileError) in unsafe open(path) }
    }
  }

  /// Returns whether the process can reserve this much more address space.
  static func isFree(_ size: Int) -> Bool {
    let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    guard let start = unsafe mmap(nil, size, PROT_NONE, flags, -1, 0), unsafe start != MAP_FAILED else {
      return false
    }
    return unsafe munmap(start, size) == 0
  }

  private static func open(
    path: [UInt8], name: String, flags: UInt32, tables: Int, mapSize: Int,
    options: EnvironmentOptions
  ) throws(EnvironmentError) -> EnvironmentHandle {
    var created: OpaquePointer?
    try unsafe check(mdb_env_create(&created), "mdb_env_create")
    guard let pointer = unsafe created else {
      throw .lmdb(LMDBError(code: ENOMEM, function: "mdb_env_create"))
    }
    let handle = unsafe EnvironmentHandle(pointer: pointer, mapSize: mapSize)
    do throws(EnvironmentError) {
      try unsafe check(mdb_env_set_mapsize(pointer, mapSize), "mdb_env_set_mapsize")
      try unsafe check(
        mdb_env_set_maxreaders(pointer, UInt32(options.maximumReaders)), "mdb_env_set_maxreaders")
      try unsafe check(mdb_env_set_maxdbs(pointer, UInt32(tables)), "mdb_env_set_maxdbs")
      let code = try unsafe opened(at: path) { unsafe mdb_env_open(pointer, $0, flags, 0o600) }
      switch code {
      case MDB_INVALID, MDB_VERSION_MISMATCH, EINVAL:
        // The data file has been checked before, so this is LMDB's error for a lock file in use that it
        // cannot read.
        throw .file(.lockFileDamaged(file: name + "-lock"))
      case EACCES, EPERM, EROFS:
        throw .file(.permission(file: name, errno: code))
      case ENOSPC, EDQUOT, EFBIG:
        throw .file(.diskFull(call: "mdb_env_open", file: name, errno: code))
      default: try check(code, "mdb_env_open")
      }
      return handle
    } catch {
      handle.close()
      throw error
    }
  }
}
