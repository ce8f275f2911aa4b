import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// LMDB's lock file, with a slot for each read transaction, before LMDB maps it.
enum ReaderTable {
  /// The length of the header with the first slot (`MDB_txninfo`), and of each further slot (`MDB_reader`).
  private static let header = 192
  private static let slot = 64

  /// Allocates all blocks of the lock file of `data`, and frees the slots of an earlier process with the
  /// number of this one.
  ///
  /// LMDB creates a sparse file and maps it: on a full disk the first access to a hole crashes the process
  /// (SIGBUS). Call this only for files that no environment of this process has open, because the close here
  /// drops the process's locks on the file.
  ///
  /// - Returns: The file, which LMDB must also find when it opens it by its name.
  /// - Throws: `sameProcessNumber` if a process of another PID namespace has this one's number, and the file
  ///   open.
  static func prepare(
    for data: String, slots: Int, in directory: Directory, trusting owners: [UInt32]
  ) throws(StoreFileError) -> FileIdentity {
    let name = data + "-lock"
    let wanted = (slots - 1) * slot + header
    let file: File
    do { file = try directory.create(name) } catch .alreadyThere {
      file = try directory.open(name, .readWrite)
    }
    let status = try file.status()
    try DataFile.checkOwner(status, name: name, trusting: owners)
    try freeOwnSlots(file, length: status.size)
    var length = wanted
    if status.size >= wanted {
      length = status.size
    } else if try isInUse(file) {
      // Another program's smaller table remains as long as that program uses it.
      guard status.size >= header else { throw .lockFileDamaged(file: name) }
      length = status.size
    }
    guard status.size < length || status.allocated < length else { return status.identity }
    #if canImport(Glibc)
      var code: Int32
      repeat { code = posix_fallocate(file.descriptor, 0, off_t(length)) } while code == EINTR
      guard code == 0 else { throw StoreFileError(errno: code, call: "posix_fallocate", file: name) }
    #else
      if status.size < length { try file.truncate(to: length) }
    #endif
    return status.identity
  }

  /// Frees the slots with the number of this process, which has no environment open.
  ///
  /// They belong to a process that was killed: a container's first process has the number 1 each time it is
  /// started. LMDB considers slots with its own number live, and never reuses their pages.
  private static func freeOwnSlots(_ file: borrowing File, length: Int) throws(StoreFileError) {
    let process = getpid()
    // LMDB locks the byte with the number of each process that may read.
    guard try !isLocked(file, at: Int(process)) else {
      throw .sameProcessNumber(file: file.name, process: process)
    }
    let descriptor = file.descriptor
    try system("mmap", file.name) { lmdb_free_slots(descriptor, length, process) }
  }

  /// Returns whether another process has the environment open: LMDB locks the first byte for that time.
  private static func isInUse(_ file: borrowing File) throws(StoreFileError) -> Bool {
    try isLocked(file, at: 0)
  }

  /// Returns whether another process has locked a byte of the file.
  private static func isLocked(_ file: borrowing File, at offset: Int) throws(StoreFileError) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(offset)
    lock.l_len = 1
    let descriptor = file.descriptor
    try system("fcntl", file.name) { unsafe fcntl(descriptor, F_GETLK, &lock) }
    return lock.l_type != Int16(F_UNLCK)
  }
}
