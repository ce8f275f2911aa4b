#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Directory {
  /// Removes a file. The removal is durable after ``synchronize()``.
  public func remove(_ name: String) throws(StoreFileError) {
    try system("unlink", name) { unsafe unlinkat(descriptor, name, 0) }
  }

  /// Removes a directory inside this one if it is empty, without a further descriptor.
  ///
  /// - Returns: Whether it was empty.
  public func removeDirectoryIfEmpty(_ name: String) throws(StoreFileError) -> Bool {
    do {
      try removeDirectory(name)
      return true
    } catch .system(_, _, errno: ENOTEMPTY), .alreadyThere {
      // POSIX allows both codes.
      return false
    }
  }

  /// Removes an empty directory inside this one.
  public func removeDirectory(_ name: String) throws(StoreFileError) {
    try system("rmdir", name) { unsafe unlinkat(descriptor, name, AT_REMOVEDIR) }
  }

  /// Removes a directory inside this one with everything in it. Symbolic links in it are removed, and not
  /// followed.
  ///
  /// - Parameters:
  ///   - opened: The directory, if it is open: to open it needs a descriptor, which may be what was missing.
  ///   - last: The file in it that is removed after all others.
  public func removeTree(
    _ name: String, _ opened: Directory? = nil, last: String? = nil
  ) throws(StoreFileError) {
    // Without listing it first: that needs a descriptor too.
    if try removeDirectoryIfEmpty(name) { return }
    let tree = if let opened { opened } else { try directory(name) }
    let names = try tree.names()
    for inner in names.filter({ $0 != last }) + names.filter({ $0 == last }) {
      if try tree.status(of: inner)?.isDirectory == true {
        try tree.removeTree(inner)
      } else {
        try tree.remove(inner)
      }
    }
    try removeDirectory(name)
  }
}
