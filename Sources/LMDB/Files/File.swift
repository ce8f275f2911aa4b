import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open file, closed at the end of the value's life.
public struct File: ~Copyable, Sendable {
  /// The descriptor, which programs started later do not inherit.
  let descriptor: Int32

  /// The name inside its directory, for messages.
  public let name: String

  /// Takes ownership of a descriptor.
  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Opens the regular file at `path` for reading, relative to the working directory.
  ///
  /// The system resolves the path, including symbolic links: its bytes are used unchanged.
  ///
  /// - Throws: `missing`, `notRegular`, `permission`.
  public static func open(path: [UInt8]) throws(StoreFileError) -> File {
    let name = FileName.text(path)
    return try regular(name) { () throws(StoreFileError) in
      try unsafe withPath(path) { (path) throws(StoreFileError) in
        try system("open", name) { unsafe openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
      }
    }
  }

  /// Takes ownership of the descriptor that `open` returns.
  ///
  /// - Parameter open: Has `O_NONBLOCK` in its flags. Without it, the call waits for the other end
  ///   of a pipe.
  /// - Throws: `notRegular` also for a symbolic link that is not followed.
  static func regular(
    _ name: String, _ open: () throws(StoreFileError) -> Int32
  ) throws(StoreFileError) -> File {
    let file: File
    do {
      file = File(descriptor: try open(), name: name)
    } catch .system(_, _, errno: ELOOP), .system(_, _, errno: EISDIR), .system(_, _, errno: ENXIO) {
      throw .notRegular(file: name)
    }
    guard try file.status().isRegular else { throw .notRegular(file: name) }
    return file
  }

  deinit {
    // `synchronize` reports failed writes; closing a valid descriptor frees it regardless of the result.
    _ = close(descriptor)
  }

  /// Returns the current status of the file.
  public func status() throws(StoreFileError) -> FileStatus {
    try FileStatus(of: descriptor, name: name)
  }

  /// Reads into `bytes`, starting at `offset`.
  ///
  /// - Returns: The number of bytes read, which is less than `bytes.count` only at the end of the file.
  public func read(
    into bytes: inout MutableSpan<UInt8>, at offset: Int
  ) throws(StoreFileError) -> Int {
    var done = 0
    while done < bytes.count {
      let count = try unsafe bytes.withUnsafeMutableBytes { (buffer) throws(StoreFileError) in
        try system("pread", name) {
          unsafe pread(
            descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done,
            off_t(offset + done))
        }
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Returns the contents of the whole file.
  ///
  /// - Parameter limit: The most bytes the file may have.
  /// - Throws: `tooLarge` for a longer file, before anything is read.
  public func readAll(limit: Int) throws(StoreFileError) -> [UInt8] {
    let size = try status().size
    guard size <= limit else { throw .tooLarge(file: name, size: size, limit: limit) }
    var bytes = [UInt8](repeating: 0, count: size)
    var span = bytes.mutableSpan
    let count = try read(into: &span, at: 0)
    return Array(bytes.prefix(count))
  }

  /// Writes all of `bytes`, starting at `offset`.
  public func write(_ bytes: Span<UInt8>, at offset: Int = 0) throws(StoreFileError) {
    var done = 0
    while done < bytes.count {
      done += try unsafe bytes.withUnsafeBytes { (buffer) throws(StoreFileError) in
        try system("pwrite", name) {
          unsafe pwrite(
            descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done,
            off_t(offset + done))
        }
      }
    }
  }

  /// Makes the file `size` bytes long.
  public func truncate(to size: Int) throws(StoreFileError) {
    try system("ftruncate", name) { ftruncate(descriptor, off_t(size)) }
  }

  /// Sets the permission bits, regardless of the process's mask.
  public func setPermissions(_ permissions: UInt32) throws(StoreFileError) {
    try system("fchmod", name) { fchmod(descriptor, mode_t(permissions)) }
  }

  /// Lets the system begin to write what has changed, and waits for nothing.
  public func beginWriting() {
    // It is only a hint: `synchronize` waits for everything.
    _ = lmdb_start_writeback(descriptor)
  }

  /// Waits until all written data is on disk.
  ///
  /// - Throws: The system's error, after which the file's unwritten pages are lost: write the file again.
  public func synchronize() throws(StoreFileError) {
    #if canImport(Darwin)
      // `fsync` does not flush the drive's cache there.
      try system("fcntl", name) { fcntl(descriptor, F_FULLFSYNC) }
    #else
      try system("fsync", name) { fsync(descriptor) }
    #endif
  }
}

extension File {
  /// The number of bytes that are copied at a time.
  private static var chunk: Int { 1 << 20 }

  /// Writes the contents of `source` into this file, which must be empty.
  public func copy(from source: borrowing File) throws(StoreFileError) {
    var bytes = [UInt8](repeating: 0, count: Self.chunk)
    var offset = 0
    while true {
      var span = bytes.mutableSpan
      let count = try source.read(into: &span, at: offset)
      guard count > 0 else { return }
      try write(bytes.span.extracting(first: count), at: offset)
      offset += count
    }
  }
}

/// Waits until the data of an open file is on disk.
func flush(_ descriptor: Int32, _ name: String) throws(StoreFileError) {
  #if canImport(Darwin)
    try system("fcntl", name) { fcntl(descriptor, F_FULLFSYNC) }
  #else
    try system("fdatasync", name) { fdatasync(descriptor) }
  #endif
}
