import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The properties of a file system that matter for a store.
public struct FileSystem: Sendable {
  /// The bytes that are available to this user.
  public let free: Int

  /// Whether it is mounted read-only.
  public let isReadOnly: Bool

  /// The name of its kind if its locks and maps do not work across machines.
  public let network: String?

  /// Returns the network file system for a number of `statfs(2)`.
  static func network(_ number: UInt32) -> String? {
    switch number {
    case 0x6969: "NFS"
    case 0x517B, 0xFF53_4D42, 0xFE53_4D42: "SMB"
    case 0x00C3_6400: "CEPH"
    case 0x5346_414F, 0x6B41_4653: "AFS"
    default: nil
    }
  }
}

extension Directory {
  /// Returns the current properties of this directory's file system.
  public func fileSystem() throws(StoreFileError) -> FileSystem {
    var space = statvfs()
    try system("fstatvfs", ".") { unsafe fstatvfs(descriptor, &space) }
    let kind = try system("fstatfs", ".") { lmdb_file_system(descriptor) }
    let (free, overflow) = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
    return FileSystem(
      free: overflow ? .max : Int(clamping: free),
      isReadOnly: UInt(space.f_flag) & UInt(ST_RDONLY) != 0,
      network: FileSystem.network(UInt32(truncatingIfNeeded: kind)))
  }
}
