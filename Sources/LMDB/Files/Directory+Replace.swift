import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Directory {
  /// Returns the contents of a small file.
  ///
  /// - Parameter limit: The most bytes the file may have.
  public func read(_ name: String, limit: Int) throws(StoreFileError) -> [UInt8] {
    try open(name, .read).readAll(limit: limit)
  }

  /// Replaces a file's content by `bytes`, so that a crash leaves either the old content or the new.
  ///
  /// Durable on return. The file need not exist.
  /// - Parameters:
  ///   - name: The file to replace.
  ///   - bytes: The whole new content.
  ///   - permissions: The file's new permissions; those of a file of a store by default.
  public func replace(
    _ name: String, with bytes: Span<UInt8>, permissions: UInt32 = 0o600
  ) throws(StoreFileError) {
    // A random name, because an existing file under a predictable one may belong to another process.
    let temporary = "\(name).\(UInt64.random(in: 0 ... .max)).tmp"
    let file = try create(temporary)
    do {
      if permissions != 0o600 { try file.setPermissions(permissions) }
      try file.write(bytes)
      try file.synchronize()
      try system("rename", name) { unsafe renameat(descriptor, temporary, descriptor, name) }
    } catch {
      let cause = error
      // The first failure is the one to report; a temporary file that remains is harmless.
      do { try remove(temporary) } catch {}
      throw cause
    }
    try synchronize()
  }

  /// Renames a file of this directory so that it replaces another one, which may be missing.
  ///
  /// The new name is durable after ``synchronize()``.
  public func rename(_ name: String, replacing other: String) throws(StoreFileError) {
    try system("rename", name) { unsafe renameat(descriptor, name, descriptor, other) }
  }

  /// Removes the temporary files of interrupted calls of ``replace(_:with:)`` for some files.
  ///
  /// - Parameter isOurs: Returns whether no other process can be replacing a file now.
  public func removeUnfinishedReplacements(of isOurs: (String) -> Bool) throws(StoreFileError) {
    for name in try names() {
      let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard parts.count > 2, let ending = parts.last, ending.elementsEqual("tmp".utf8),
        let digits = parts.dropLast().last, UInt64(String(decoding: digits, as: UTF8.self)) != nil
      else { continue }
      let count = digits.count + ending.count + 2
      if isOurs(String(decoding: name.utf8.dropLast(count), as: UTF8.self)) { try remove(name) }
    }
  }

  /// Returns the names of all items in this directory, sorted by bytes, without `.` and `..`.
  ///
  /// Names that are not UTF-8 are omitted: no store makes one, and the directory above a store may have them.
  public func names() throws(StoreFileError) -> [String] {
    // A separate descriptor, because reading moves the position that duplicates share.
    let own = try system("open", ".") {
      unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard let stream = unsafe fdopendir(own) else {
      let code = errno
      _ = close(own)
      throw StoreFileError(errno: code, call: "fdopendir", file: ".")
    }
    defer { _ = unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        let code = errno
        guard code == 0 else { throw StoreFileError(errno: code, call: "readdir", file: ".") }
        break
      }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        let bytes = unsafe UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self)
        return unsafe String(validatingCString: bytes)
      }
      if let name, name != "." && name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// A path to this directory for every process of this user, as long as this object exists.
  public var pathForOthers: String { "/proc/\(getpid())/fd/\(descriptor)" }

  /// Returns the path with which LMDB opens a file of this directory.
  ///
  /// With `/proc`, the path goes through the open descriptor. So long paths, a changed working directory and
  /// a replaced directory do not matter.
  func path(forLMDB name: String) -> [UInt8] {
    let descriptors = "/proc/self/fd/\(descriptor)"
    var throughProc = stat()
    var own = stat()
    if unsafe stat(descriptors + "/.", &throughProc) == 0, unsafe fstat(descriptor, &own) == 0,
      throughProc.st_ino == own.st_ino, throughProc.st_dev == own.st_dev
    {
      return Array("\(descriptors)/\(name)".utf8)
    }
    return path + "/".utf8 + name.utf8
  }
}
