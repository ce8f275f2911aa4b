#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The data file of an environment before LMDB opens it.
///
/// LMDB makes a new store of an empty file, follows symbolic links, and crashes on missing pages.
struct DataFile {
  /// The identity of the file.
  let identity: FileIdentity
  /// The bytes in use: the length of the file, or the bytes that its meta page refers to.
  let used: Int
  /// The length of the file.
  let size: Int
  /// The number of the last committed transaction.
  let transaction: UInt64

  /// Checks an existing file without changes.
  init(
    existing name: String, in directory: Directory, trusting owners: [UInt32]
  ) throws(StoreFileError) {
    let file = try directory.open(name, .read)
    let status = try file.status()
    try Self.checkOwner(status, name: name, trusting: owners)
    let metas = try MetaPages(of: file)
    identity = status.identity
    size = metas.size
    used = max(metas.size, (Int(metas.newer.lastPage) + 1) * pageSize)
    transaction = metas.newer.transaction
  }

  /// Creates an empty file for LMDB to fill.
  init(creating name: String, in directory: Directory) throws(StoreFileError) {
    identity = try directory.create(name).status().identity
    size = 0
    used = 0
    transaction = 0
  }

  /// Refuses a file that another user could change, or that has further names.
  static func checkOwner(
    _ status: FileStatus, name: String, trusting owners: [UInt32]
  ) throws(StoreFileError) {
    guard status.owner == geteuid() || status.owner == 0 || owners.contains(status.owner) else {
      throw .wrongOwner(file: name, owner: status.owner)
    }
    // The file was removed after it was opened.
    guard status.links > 0 else { throw .missing(file: name) }
    guard status.links == 1 else { throw .linked(file: name, links: status.links) }
  }
}
