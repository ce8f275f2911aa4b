/// A flush of a directory on a thread of its own.
///
/// A caller with other work begins it early, and waits before it relies on the names in the directory.
public final class DirectoryFlush: Sendable {
  private let path: [UInt8]
  private let result = Monitor<Result<Void, StoreFileError>?>(nil)

  /// Begins to flush the directory at `path`. Its path may end with a symbolic link only if it ends with
  /// `/.`.
  ///
  /// If the system has no more threads, the calling thread flushes it.
  public init(path: [UInt8]) {
    self.path = path
    do throws(StoreFileError) {
      try WriterThread(name: "annals-names") { [self] in flush() }.letGo()
    } catch {
      flush()
    }
  }

  private func flush() {
    let flushed = Result { () throws(StoreFileError) in try Directory.open(path: path).synchronize() }
    result.withLock { $0 = flushed }
    result.wake()
  }

  /// Waits until the names in the directory are on disk.
  ///
  /// - Throws: What opening or flushing the directory throws.
  public func wait() throws(StoreFileError) { try result.wait { $0 }.get() }
}
