#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The descriptors 0, 1 and 2, which every process takes for input, output and errors.
public enum StandardDescriptors {
  /// Makes sure that no file which is opened later gets one of the three numbers.
  ///
  /// A file of a store that got number 1 or 2 would be overwritten by whatever the program prints. A number that is
  /// closed is given to something that can be neither read nor written, so that its use fails as before.
  ///
  /// - Throws: `system` where the process may open no further file. Some of the numbers may be closed then.
  public static func reserve() throws(StoreFileError) {
    for number in Int32(0)...2 where fcntl(number, F_GETFD) == -1 && errno == EBADF {
      // The system gives the lowest number that is free, which another thread may have taken meanwhile.
      let opened = try system("open", "/") { unsafe open("/", flags) }
      if opened > 2 {
        _ = close(opened)
        return
      }
    }
  }

  /// Inherited by programs that are started, as the three are.
  private static var flags: Int32 {
    #if canImport(Glibc)
      // `O_PATH`, which Swift does not import.
      O_DIRECTORY | 0o10000000
    #else
      O_DIRECTORY | O_RDONLY
    #endif
  }
}
