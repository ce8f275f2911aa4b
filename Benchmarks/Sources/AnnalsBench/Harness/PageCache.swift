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

/// The pages of files that the system keeps in memory.
enum PageCache {
  /// Writes all files under a directory to disk, so that no later flush has to write what a copy left.
  static func writeOut(_ directory: URL) throws {
    try forEachFile(in: directory) { _, _, _ in }
  }

  /// Writes all files under a directory to disk and removes their pages from memory.
  ///
  /// - Throws: ``Skipped`` if more than one page in a hundred is still in memory afterwards.
  static func throwOut(_ directory: URL) throws {
    #if canImport(Glibc)
      var pages = 0
      var kept = 0
      try forEachFile(in: directory) { name, descriptor, bytes in
        guard posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0 else {
          throw Skipped(reason: "cannot throw '\(name)' out of memory (errno \(errno))")
        }
        let inMemory = try residency(of: descriptor, bytes: bytes)
        pages += inMemory.pages
        kept += inMemory.kept
      }
      guard kept * 100 <= pages else {
        throw Skipped(reason: "\(kept) of \(pages) pages cannot be thrown out of memory here")
      }
    #else
      throw Skipped(reason: "this system cannot throw a file out of memory")
    #endif
  }

  /// Opens and flushes each non-empty file under a directory, and passes its name, descriptor and length to
  /// `body`.
  private static func forEachFile(
    in directory: URL, _ body: (_ name: String, _ descriptor: Int32, _ bytes: Int) throws -> Void
  ) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      let path = directory.appendingPathComponent(name).path
      var status = stat()
      guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
        continue
      }
      let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Skipped(reason: "cannot open '\(name)' (errno \(errno))") }
      defer { close(descriptor) }
      // Only clean pages can be thrown out.
      guard fsync(descriptor) == 0 else {
        throw Skipped(reason: "cannot write '\(name)' to disk (errno \(errno))")
      }
      try body(name, descriptor, Int(status.st_size))
    }
  }

  #if canImport(Glibc)
    private static func residency(of descriptor: Int32, bytes: Int) throws -> (pages: Int, kept: Int) {
      guard let map = unsafe mmap(nil, bytes, PROT_READ, MAP_SHARED, descriptor, 0),
        unsafe map != MAP_FAILED
      else { throw Skipped(reason: "cannot map a file to look at its pages (errno \(errno))") }
      defer { unsafe munmap(map, bytes) }
      let pageSize = sysconf(Int32(_SC_PAGESIZE))
      var resident = [UInt8](repeating: 0, count: (bytes + pageSize - 1) / pageSize)
      guard unsafe mincore(map, bytes, &resident) == 0 else {
        throw Skipped(reason: "cannot ask which pages are in memory (errno \(errno))")
      }
      return (resident.count, resident.count { $0 & 1 == 1 })
    }
  #endif
}
