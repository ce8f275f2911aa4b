#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The descriptors 0, 1 and 2, which every process uses for input, output and errors.
public enum StandardDescriptors {
  /// Ensures that no file opened later gets one of the three numbers.
  ///
  /// A file of a store with number 1 or 2 would be overwritten by the program's output. A closed number is
  /// assigned to a descriptor that can be neither read nor written, so that its use fails as before.
  ///
  /// - Throws: `system` if the process cannot open more files. Some of the numbers may then still be closed.
  public static func reserve() throws(StoreFileError) {
    for number in Int32(0)...2 where fcntl(number, F_GETFD) == -1 && errno == EBADF {
      // The system assigns the lowest free number, which another thread may have taken meanwhile.
      let opened = try system("open", "/") { unsafe open("/", flags) }
      if opened > 2 {
        _ = close(opened)
        return
      }
    }
  }

  /// Programs started later inherit it, like the three.
  private static var flags: Int32 {
    #if canImport(Glibc)
      // `O_PATH`, which Swift does not import.
      O_DIRECTORY | 0o10000000
    #else
      O_DIRECTORY | O_RDONLY
    #endif
  }
}
