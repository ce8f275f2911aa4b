#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Environment {
  /// Returns the cause of an error that LMDB reports as an input/output error in a commit.
  ///
  /// The system writes as much as fits before it refuses the rest, and LMDB reports EIO for a partial write.
  /// - Returns: `ENOSPC` or `EFBIG` if there is no space, otherwise `code`.
  func cause(of code: Int32) -> Int32 {
    guard code == EIO else { return code }
    do throws(StoreFileError) {
      // LMDB writes 64 pages at a time.
      if try directory.fileSystem().free < 64 * LMDB.pageSize { return ENOSPC }
      guard let size = try directory.status(of: name)?.size else { return code }
      var limit = rlimit()
      #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      #else
        let resource = RLIMIT_FSIZE
      #endif
      let isKnown = unsafe getrlimit(resource, &limit) == 0
      return isKnown && UInt64(size) + UInt64(LMDB.pageSize) > UInt64(limit.rlim_cur) ? EFBIG : code
    } catch {
      // The commit's own failure is the one to report.
      return code
    }
  }
}
