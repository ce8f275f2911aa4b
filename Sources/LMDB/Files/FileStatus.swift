import CLMDB

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

  /// Creates the status from what the system found.
  init(_ status: lmdb_status) {
    identity = FileIdentity(device: status.device, inode: status.inode)
    size = Int(status.size)
    allocated = Int(status.blocks) * 512
    links = Int(status.links)
    owner = status.owner
    permissions = status.mode & 0o7777
    isRegular = lmdb_is_regular(status.mode)
    isDirectory = lmdb_is_directory(status.mode)
  }

  /// Creates the status of an open file.
  init(of descriptor: Int32, name: String) throws(StoreFileError) {
    var status = lmdb_status()
    try system("fstat", name) { unsafe lmdb_open_file_status(descriptor, &status) }
    self.init(status)
  }
}
