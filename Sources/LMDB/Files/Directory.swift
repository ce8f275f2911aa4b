import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open directory, through which everything inside it is reached.
///
/// A rename of the directory or of one above it, or another working directory, changes nothing for it. No symbolic link is
/// followed inside it.
public final class Directory: Sendable {
  /// The descriptor, which no program that is started inherits.
  let descriptor: Int32

  /// The path it was opened by, for LMDB where there is no `/proc`.
  let path: [UInt8]

  /// How a file is opened.
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
    // Nothing is written through the descriptor of a directory, so closing it has nothing to tell.
    _ = close(descriptor)
  }

  /// Opens the directory at `path`, relative to the working directory.
  ///
  /// The system resolves the path: its bytes are taken as they are. Closed descriptors 0 to 2 are reserved first, so that no
  /// file of the directory gets one of them.
  ///
  /// - Throws: `notDirectory` also for a symbolic link at the end of the path.
  public static func open(path: [UInt8]) throws(StoreFileError) -> Directory {
    try StandardDescriptors.reserve()
    return try open(path, from: AT_FDCWD, path: path)
  }

  /// Opens the directory at the path that `path` is in UTF-8.
  public static func open(path: String) throws(StoreFileError) -> Directory {
    try open(path: Array(path.utf8))
  }

  /// Opens a directory inside this one.
  public func directory(_ name: String) throws(StoreFileError) -> Directory {
    try Directory.open(Array(name.utf8), from: descriptor, path: path + "/".utf8 + name.utf8)
  }

  /// Creates a directory inside this one, which only its owner can use (0700), and opens it.
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
      // The first failure is the one to tell.
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

  /// Opens a regular file that exists.
  ///
  /// - Throws: `missing`, `notRegular` (also for a symbolic link), `permission`.
  public func open(_ name: String, _ access: Access) throws(StoreFileError) -> File {
    // Without O_NONBLOCK a pipe would wait for its other end.
    let flags = (access == .read ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let file: File
    do {
      file = File(
        descriptor: try system("open", name) { unsafe openat(descriptor, name, flags) }, name: name)
    } catch .system(_, _, errno: ELOOP), .system(_, _, errno: EISDIR), .system(_, _, errno: ENXIO) {
      throw .notRegular(file: name)
    }
    guard try file.status().isRegular else { throw .notRegular(file: name) }
    return file
  }

  /// Creates a file that only its owner can use (0600), whatever the process's mask.
  ///
  /// - Throws: `alreadyThere` if anything has the name, a symbolic link too.
  public func create(_ name: String) throws(StoreFileError) -> File {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = File(
      descriptor: try system("open", name) { unsafe openat(descriptor, name, flags, 0o600) },
      name: name)
    try file.setPermissions(0o600)
    return file
  }

  /// What the system knows of what has this name, itself if it is a symbolic link.
  ///
  /// - Returns: `nil` if nothing has the name.
  public func status(of name: String) throws(StoreFileError) -> FileStatus? {
    try status(of: Array(name.utf8))
  }

  /// What the system knows of what has this name, which need not be UTF-8.
  public func status(of name: [UInt8]) throws(StoreFileError) -> FileStatus? {
    var status = stat()
    do {
      try unsafe withPath(name) { (path) throws(StoreFileError) in
        try system("fstatat", FileName.text(name)) {
          unsafe fstatat(descriptor, path, &status, AT_SYMLINK_NOFOLLOW)
        }
      }
    } catch .missing {
      return nil
    }
    return FileStatus(status)
  }

  /// What the system knows of this directory.
  public func status() throws(StoreFileError) -> FileStatus {
    var status = stat()
    try system("fstat", ".") { unsafe fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Makes sure that nobody else can exchange what is in this directory.
  ///
  /// - Throws: `wrongOwner` unless it belongs to this process's user or to root; `openToAll` if everybody may write in it.
  public func checkOwner() throws(StoreFileError) {
    let status = try status()
    guard status.owner == geteuid() || status.owner == 0 else {
      throw .wrongOwner(file: ".", owner: status.owner)
    }
    guard status.permissions & 0o002 == 0 else { throw .openToAll(file: ".") }
  }

  /// Removes a file. The removal is durable after ``synchronize()``.
  public func remove(_ name: String) throws(StoreFileError) {
    try system("unlink", name) { unsafe unlinkat(descriptor, name, 0) }
  }

  /// Removes a directory inside this one if it is empty, which needs no further descriptor.
  ///
  /// - Returns: Whether it was empty.
  public func removeDirectoryIfEmpty(_ name: String) throws(StoreFileError) -> Bool {
    do {
      try removeDirectory(name)
      return true
    } catch .system(_, _, errno: ENOTEMPTY), .alreadyThere {
      // POSIX allows either number.
      return false
    }
  }

  /// Removes an empty directory inside this one.
  public func removeDirectory(_ name: String) throws(StoreFileError) {
    try system("rmdir", name) { unsafe unlinkat(descriptor, name, AT_REMOVEDIR) }
  }

  /// Renames `name` to `newName` in `parent`, which may be this directory, and replaces nothing.
  ///
  /// The names are durable after ``synchronize()`` of both directories.
  /// - Throws: `alreadyThere` if anything has the new name.
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

  /// Renames a name to another, neither of which need be UTF-8.
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

  /// Waits until the disk has the names in this directory.
  public func synchronize() throws(StoreFileError) {
    try system("fsync", ".") { fsync(descriptor) }
  }
}
