import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is only used for locking, with `flock(2)`.
///
/// Locks are always taken in this order: pass, open, queue, write, old environment, new environment.
///
/// A thread of a process has a lock: two threads that share one `FileLock` exclude each other, and the thread
/// that has it exclusively may take it again. So a ``Hold`` is never kept across an `await`.
public final class FileLock: Sendable {
  /// The kind of access that a lock allows.
  public enum Mode: Sendable {
    /// Shared with other holders.
    case shared
    /// Exclusive.
    case exclusive
  }

  /// Proof that the lock is held; its end releases the lock.
  public struct Hold: ~Copyable, Sendable {
    let lock: FileLock

    deinit { lock.release() }
  }

  /// The holder of the lock in this process; `flock` only distinguishes processes.
  private enum Holder: Sendable {
    case none
    case taking
    case shared(Int)
    case exclusive(thread: UInt, depth: Int)
  }

  /// The name of the file.
  public let name: String

  private let directory: Directory
  /// The open file; `nil` while the lock is not held, if it is not kept open.
  private let opened: Mutex<OpenFile?>
  private let keepsOpen: Bool

  /// A file as an object, so that a thread keeps it while another one releases it.
  private final class OpenFile: Sendable {
    let file: File

    init(_ file: consuming File) { self.file = file }
  }
  private let identity: FileIdentity
  private let isWritable: Bool
  private let process = getpid()
  private let holder = Monitor(Holder.none)

  /// Opens a lock file.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - directory: The directory of the file.
  ///   - create: Whether to create the file (0600) if it is missing. If not, permission to read it is enough.
  ///   - keepsOpen: Whether the file stays open while the lock is not held. If not, each lock opens it again,
  ///     and fails with `lockFileDamaged` if the name refers to another file.
  /// - Throws: `wrongOwner` or `linked` for a writable file that could be reached from elsewhere.
  public init(
    _ name: String, in directory: Directory, create: Bool = true, keepsOpen: Bool = true
  ) throws(StoreFileError) {
    let file: File
    var isWritable = true
    do {
      file = try create ? Self.created(name, in: directory) : directory.open(name, .readWrite)
    } catch .permission where !create {
      file = try directory.open(name, .read)
      isWritable = false
    }
    let status = try file.status()
    // The holder's number is written into it, but never into a file of another user, or one with another
    // name.
    if isWritable { try DataFile.checkOwner(status, name: name, trusting: []) }
    identity = status.identity
    self.name = name
    self.directory = directory
    self.isWritable = isWritable
    self.keepsOpen = keepsOpen
    opened = Mutex(keepsOpen ? OpenFile(file) : nil)
  }

  /// Returns the open file, and opens it if the lock does not keep it open.
  private func file() throws(StoreFileError) -> OpenFile {
    if let known = opened.withLock({ $0 }) { return known }
    let file: File
    do { file = try directory.open(name, isWritable ? .readWrite : .read) } catch .missing {
      throw .lockFileDamaged(file: name)
    }
    guard try file.status().identity == identity else { throw .lockFileDamaged(file: name) }
    return OpenFile(file)
  }

  private static func created(_ name: String, in directory: Directory) throws(StoreFileError) -> File {
    do { return try directory.create(name) } catch .alreadyThere {
      return try directory.open(name, .readWrite)
    }
  }

  /// Takes the lock, and waits for it without a limit.
  ///
  /// - Parameter isRecorded: Whether an exclusive holder is recorded in the file, for ``lastHolder()``.
  public func lock(_ mode: Mode, isRecorded: Bool = true) throws(StoreFileError) -> Hold {
    if try take(mode, waiting: true, isRecorded) { return Hold(lock: self) }
    throw .system(call: "flock", file: name, errno: EWOULDBLOCK)
  }

  /// Takes the lock if it is free.
  ///
  /// - Parameter isRecorded: Whether an exclusive holder is recorded in the file, for ``lastHolder()``.
  /// - Returns: `nil` if another holder has it.
  public func tryLock(_ mode: Mode, isRecorded: Bool = true) throws(StoreFileError) -> Hold? {
    try take(mode, waiting: false, isRecorded) ? Hold(lock: self) : nil
  }

  /// Returns the process that took the lock exclusively last, as it recorded itself.
  ///
  /// - Returns: `nil` if it could not record itself. It may have released the lock since.
  public func lastHolder() throws(StoreFileError) -> Int32? {
    try Self.holder(in: file().file)
  }

  private static func holder(in file: borrowing File) throws(StoreFileError) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    var span = bytes.mutableSpan
    let count = try file.read(into: &span, at: 0)
    let text = bytes.prefix(count).prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
    return Int32(String(decoding: text, as: UTF8.self))
  }

  /// Returns whether the name still refers to the locked file.
  public func isCurrent() throws(StoreFileError) -> Bool {
    try directory.status(of: name)?.identity == identity
  }

  private func take(_ mode: Mode, waiting: Bool, _ isRecorded: Bool) throws(StoreFileError) -> Bool {
    // A child process would share the parent's lock without either knowing.
    guard getpid() == process else { throw .usedAfterFork }
    switch enter(mode, waiting: waiting) {
    case .joined: return true
    case .busy: return false
    case .first: break
    }
    do {
      let open = try file()
      opened.withLock { $0 = open }
      let operation = (mode == .exclusive ? LOCK_EX : LOCK_SH) | (waiting ? 0 : LOCK_NB)
      try system("flock", name) { flock(open.file.descriptor, operation) }
      if mode == .exclusive, isRecorded { try writeHolder(in: open.file) }
    } catch {
      // Also a lock that was taken but whose holder could not be recorded.
      unlock()
      settle(.none)
      if case .system(_, _, errno: EWOULDBLOCK) = error { return false }
      throw error
    }
    settle(mode == .exclusive ? .exclusive(thread: currentThread(), depth: 1) : .shared(1))
    return true
  }

  private enum Entry { case first, joined, busy }

  /// Passes the gate of this process.
  private func enter(_ mode: Mode, waiting: Bool) -> Entry {
    let thread = currentThread()
    return holder.wait { holder in
      switch (holder, mode) {
      case (.none, _):
        holder = .taking
        return .first
      case (.exclusive(thread, let depth), _):
        holder = .exclusive(thread: thread, depth: depth + 1)
        return .joined
      case (.shared(let count), .shared):
        holder = .shared(count + 1)
        return .joined
      default:
        return waiting ? nil : .busy
      }
    }
  }

  private func settle(_ state: Holder) {
    holder.withLock { $0 = state }
    holder.wake()
  }

  fileprivate func release() {
    // The lock belongs to the parent's open file, which a child must not unlock.
    guard getpid() == process else { return }
    let isLast = holder.withLock { holder in
      switch holder {
      case .exclusive(let thread, let depth) where depth > 1:
        holder = .exclusive(thread: thread, depth: depth - 1)
        return false
      case .shared(let count) where count > 1:
        holder = .shared(count - 1)
        return false
      default:
        holder = .taking
        return true
      }
    }
    guard isLast else { return }
    unlock()
    settle(.none)
  }

  /// Releases the system's lock.
  ///
  /// A failure cannot be reported and has no lasting effect: this process takes a lock that it still has, and
  /// releases it the next time, or when it ends.
  private func unlock() {
    guard let open = opened.withLock({ $0 }) else { return }
    while flock(open.file.descriptor, LOCK_UN) != 0 && errno == EINTR {}
    if !keepsOpen { opened.withLock { $0 = nil } }
  }

  /// Records the holder of the lock, or removes the previous record.
  private func writeHolder(in file: borrowing File) throws(StoreFileError) {
    // A write changes the file's metadata, which the next flush of another file may have to wait for.
    guard isWritable, try Self.holder(in: file) != process else { return }
    let digits = String(process)
    let line = Array((digits + String(repeating: " ", count: max(0, 10 - digits.utf8.count)) + "\n").utf8)
    do { try file.write(line.span) } catch .diskFull { try file.truncate(to: 0) }
  }
}
