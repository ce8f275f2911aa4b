import CBareLMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What `mdb_copy -c` does: liblmdb's own copy of a file, without pages that nothing uses.
enum CompactingCopy {
  /// Copies the file of the first generation, which nobody has open, until the copy is on disk.
  static func time(of directory: URL) throws -> Duration {
    let copy = directory.appendingPathComponent("copy.mdb").path
    let start = ContinuousClock.now
    try LMDBEnvironment(
      path: TypedLog.file(in: directory).path, flags: MDB_RDONLY | MDB_NOLOCK, mapSize: 0
    ).copy(to: copy)
    let descriptor = unsafe open(copy, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0, fsync(descriptor) == 0 else {
      throw LMDBFailure(code: errno, function: "fsync")
    }
    close(descriptor)
    let time = start.duration(to: .now)
    try FileManager.default.removeItem(atPath: copy)
    return time
  }
}
