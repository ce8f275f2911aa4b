import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open directory, through which all its contents are accessed.
///
/// Renaming the directory or one above it, or changing the working directory, does not affect it. No symbolic
/// link is followed inside it.
public final class Directory: Sendable {
  /// The descriptor, which programs started later do not inherit.
  let descriptor: Int32

  /// The path with which it was opened, for LMDB without `/proc`.
  let path: [UInt8]

  /// The access to a file.
  public enum Access: Sendable {
    /// For reading.
    case read
    /// For reading and writing.
    case readWrite
  }

  private init(descriptor: Int32, path: [UInt8]) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    // Nothing is written through the descriptor of a directory, so an error of closing it does not matter.
    _ = close(descriptor)
  }

  /// Opens the directory at `path`, relative to the working directory.
  ///
  /// The system resolves the path: its bytes are used unchanged. Closed descriptors 0 to 2 are reserved
  /// first, so that no file of the directory gets one of them.
  ///
  /// - Throws: `notDirectory` also for a symbolic link at the end of the path.
  public static func open(path: [UInt8]) throws(StoreFileError) -> Directory {
    try StandardDescriptors.reserve()
    return try open(path, from: AT_FDCWD, path: path)
  }

  /// Opens the directory at `path`, in UTF-8.
  public static func open(path: String) throws(StoreFileError) -> Directory {
    try open(path: Array(path.utf8))
  }

  /// Opens a directory inside this one.
  public func directory(_ name: String) throws(StoreFileError) -> Directory {
    try Directory.open(Array(name.utf8), from: descriptor, path: path + "/".utf8 + name.utf8)
  }

  /// Creates a directory inside this one that only its owner can use (0700), and opens it.
  ///
  /// The name is durable after ``synchronize()``.
  public func createDirectory(_ name: String) throws(StoreFileError) -> Directory {
    try system("mkdir", name) { unsafe mkdirat(descriptor, name, 0o700) }
    do {
      let created = try directory(name)
      try system("fchmod", name) { fchmod(created.descriptor, 0o700) }
      return created
    } catch {
      let cause = error
      // The first failure is the one to report.
      do { try removeDirectory(name) } catch {}
      throw cause
    }
  }

  private static func open(
    _ bytes: [UInt8], from parent: Int32, path: [UInt8]
  ) throws(StoreFileError) -> Directory {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let name = FileName.text(bytes)
    do {
      let descriptor = try unsafe withPath(bytes) { (path) throws(StoreFileError) in
        try system("open", name) { unsafe openat(parent, path, flags) }
      }
      return Directory(descriptor: descriptor, path: path)
    } catch .system(_, _, errno: ENOTDIR), .system(_, _, errno: ELOOP) {
      throw .notDirectory(file: name)
    }
  }

  /// Opens an existing regular file.
  ///
  /// - Throws: `missing`, `notRegular` (also for a symbolic link), `permission`.
  public func open(_ name: String, _ access: Access) throws(StoreFileError) -> File {
    let flags = (access == .read ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    return try File.regular(name) { () throws(StoreFileError) in
      try system("open", name) { unsafe openat(descriptor, name, flags) }
    }
  }

  /// Creates a file that only its owner can use (0600), regardless of the process's mask.
  ///
  /// - Throws: `alreadyThere` if any file has the name, including a symbolic link.
  public func create(_ name: String) throws(StoreFileError) -> File {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = File(
      descriptor: try system("open", name) { unsafe openat(descriptor, name, flags, 0o600) },
      name: name)
    try file.setPermissions(0o600)
    return file
  }

  /// Returns the status of the item with this name, of the link itself if it is a symbolic link.
  ///
  /// - Returns: `nil` if no item has the name.
  public func status(of name: String) throws(StoreFileError) -> FileStatus? {
    try status(of: Array(name.utf8))
  }

  /// Returns the status of the item with this name, which need not be UTF-8.
  public func status(of name: [UInt8]) throws(StoreFileError) -> FileStatus? {
    var status = lmdb_status()
    do {
      try unsafe withPath(name) { (path) throws(StoreFileError) in
        try system("fstatat", FileName.text(name)) {
          unsafe lmdb_file_status(descriptor, path, AT_SYMLINK_NOFOLLOW, &status)
        }
      }
    } catch .missing {
      return nil
    }
    return FileStatus(status)
  }

  /// Returns the status of this directory.
  public func status() throws(StoreFileError) -> FileStatus {
    try FileStatus(of: descriptor, name: ".")
  }

  /// The time of the last change of the directory's names, in nanoseconds since 1970; `nil` where the system
  /// does not say.
  var lastChange: Int64? {
    let time = lmdb_directory_change(descriptor)
    return time < 0 ? nil : time
  }

  /// Whether a change was so long ago that a later one has a later time. Times have steps of some
  /// milliseconds, and of up to two seconds on file systems that keep no parts of a second.
  static func isLongPast(_ change: Int64) -> Bool {
    var now = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return false }
    let age = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) - change
    return age > (change % 1_000_000_000 == 0 ? 3_000_000_000 : 50_000_000)
  }

  /// Checks that no other user can replace items in this directory.
  ///
  /// - Throws: `wrongOwner` unless it belongs to this process's user or to root; `openToAll` if all users may
  ///   write in it.
  public func checkOwner() throws(StoreFileError) {
    let status = try status()
    guard status.owner == geteuid() || status.owner == 0 else {
      throw .wrongOwner(file: ".", owner: status.owner)
    }
    guard status.permissions & 0o002 == 0 else { throw .openToAll(file: ".") }
  }

  /// Renames `name` to `newName` in `parent`, which may be this directory, and replaces nothing.
  ///
  /// The names are durable after ``synchronize()`` of both directories.
  /// - Throws: `alreadyThere` if an item has the new name.
  public func rename(
    _ name: String, to newName: String, in parent: Directory
  ) throws(StoreFileError) {
    try rename(name, to: Array(newName.utf8), in: parent)
  }

  /// Renames `name` to a name that need not be UTF-8.
  public func rename(
    _ name: String, to newName: [UInt8], in parent: Directory
  ) throws(StoreFileError) {
    try rename(Array(name.utf8), to: newName, in: parent)
  }

  /// Renames an item; neither name need be UTF-8.
  public func rename(
    _ name: [UInt8], to newName: [UInt8], in parent: Directory
  ) throws(StoreFileError) {
    do {
      try unsafe withPath(name) { (old) throws(StoreFileError) in
        try unsafe withPath(newName) { (path) throws(StoreFileError) in
          try system("rename", FileName.text(name)) {
            unsafe lmdb_rename_noreplace(descriptor, old, parent.descriptor, path)
          }
        }
      }
    } catch .alreadyThere {
      throw .alreadyThere(file: FileName.text(newName))
    }
  }

  /// Waits until the names in this directory are on disk.
  public func synchronize() throws(StoreFileError) {
    try system("fsync", ".") { fsync(descriptor) }
  }
}
