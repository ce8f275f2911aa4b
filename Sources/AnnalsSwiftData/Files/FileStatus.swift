#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// What is at a path, by the bytes of the path.
///
/// `unsafe`: the system takes pointers, which live for a call.
enum FileStatus {
  /// Returns whether a folder is at `path`.
  static func isFolder(_ path: [UInt8]) -> Bool {
    var status = stat()
    return unsafe stat(path.ended, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the path without symbolic links; the path itself if nothing is there.
  ///
  /// SQLite keeps the `-wal` next to the file that a link leads to.
  static func resolved(_ path: [UInt8]) -> [UInt8] {
    guard let resolved = unsafe realpath(path.ended, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
  }
}
