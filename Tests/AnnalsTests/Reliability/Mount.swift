import Foundation

/// File systems of this process alone, for tests that run in one of their own. They end with it.
enum Mount {
  /// Whether this process may mount: what Linux calls CAP_SYS_ADMIN, the capability with number 21.
  static let isPossible: Bool = {
    guard let status = FileManager.default.contents(atPath: "/proc/self/status") else { return false }
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("CapEff:") }),
      let capabilities = UInt64(line.dropFirst(7).drop { $0.isWhitespace }, radix: 16)
    else { return false }
    return capabilities & 1 << 21 != 0
  }()

  struct Refused: Error {
    let errno: Int32
  }

  #if canImport(Glibc)
    /// Puts an empty file system in memory with room for `bytes` over the directory at `path`.
    ///
    /// - Returns: The directory as every thread of this process can reach it.
    static func memory(_ bytes: Int, at path: String) throws -> URL {
      try becomePrivate()
      guard unsafe "size=\(bytes)".withCString({ unsafe mount("none", path, "tmpfs", 0, $0) }) == 0 else {
        throw Refused(errno: errno)
      }
      return try directory(path)
    }

    /// Makes what is under the directory at `path` read-only.
    ///
    /// - Returns: The directory as every thread of this process can reach it.
    static func readOnly(_ path: String) throws -> URL {
      try becomePrivate()
      guard unsafe mount(path, path, nil, UInt(MS_BIND), nil) == 0,
        unsafe mount("none", path, nil, UInt(MS_BIND | MS_REMOUNT | MS_RDONLY), nil) == 0
      else { throw Refused(errno: errno) }
      return try directory(path)
    }

    /// Leaves the file systems that other processes see, for this thread alone.
    private static func becomePrivate() throws {
      // Glibc's module does not have it.
      typealias Unshare = @convention(c) (Int32) -> Int32
      guard let symbol = unsafe dlsym(nil, "unshare") else { throw Refused(errno: ENOSYS) }
      let unshare = unsafe unsafeBitCast(symbol, to: Unshare.self)
      guard unshare(0x20000) == 0, unsafe mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0 else {
        throw Refused(errno: errno)
      }
    }

    /// A path through a descriptor, because other threads do not see this one's file systems.
    private static func directory(_ path: String) throws -> URL {
      let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY)
      guard descriptor >= 0 else { throw Refused(errno: errno) }
      return URL(fileURLWithPath: "/proc/self/fd/\(descriptor)", isDirectory: true)
    }
  #else
    static func memory(_ bytes: Int, at path: String) throws -> URL { throw Refused(errno: ENOSYS) }
    static func readOnly(_ path: String) throws -> URL { throw Refused(errno: ENOSYS) }
  #endif
}
