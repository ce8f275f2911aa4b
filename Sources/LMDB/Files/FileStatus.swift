#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The identity of a file, which does not depend on its name.
public struct FileIdentity: Hashable, Sendable {
  /// The number of the device.
  let device: UInt64
  /// The number of the file on its device.
  let inode: UInt64
}

/// The status of a file.
public struct FileStatus: Sendable {
  /// The identity of the file.
  public let identity: FileIdentity
  /// The length in bytes.
  public let size: Int
  /// The bytes that the file system has allocated.
  public let allocated: Int
  /// The number of the file's names.
  public let links: Int
  /// The user it belongs to.
  public let owner: UInt32
  /// The permission bits, such as 0o600.
  public let permissions: UInt32
  /// Whether it is a regular file.
  public let isRegular: Bool
  /// Whether it is a directory.
  public let isDirectory: Bool

  /// Creates the status from the system's own form.
  init(_ status: stat) {
    identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    size = Int(status.st_size)
    allocated = Int(status.st_blocks) * 512
    links = Int(status.st_nlink)
    owner = UInt32(status.st_uid)
    permissions = UInt32(status.st_mode) & 0o7777
    isRegular = status.st_mode & S_IFMT == S_IFREG
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
  }
}

/// Returns the length of an open file.
func fileSize(of descriptor: Int32, name: String) throws(StoreFileError) -> Int {
  var status = stat()
  try system("fstat", name) { unsafe fstat(descriptor, &status) }
  return Int(status.st_size)
}
