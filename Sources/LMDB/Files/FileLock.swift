#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file whose only use is to be locked, by `flock(2)`.
///
/// Locks are taken in this order and never the other way round: pass, open, queue, write, old environment, new environment.
///
/// A lock is held by a thread of a process: two threads that share one `FileLock` exclude each other, and the thread that
/// holds it exclusively may take it again. So a ``Hold`` is never kept across an `await`.
public final class FileLock: Sendable {
  /// How a lock is held.
  public enum Mode: Sendable {
    /// Together with others who share it.
    case shared
    /// Alone.
    case exclusive
  }

  /// Proof that the lock is held; it is given back when this ends.
  public struct Hold: ~Copyable, Sendable {
    let lock: FileLock

    deinit { lock.release() }
  }

  /// Who of this process holds the lock; `flock` knows only processes.
  private enum Holder: Sendable {
    case none
    case taking
    case shared(Int)
    case exclusive(thread: UInt, depth: Int)
  }

  /// The name of the file.
  public let name: String

  private let directory: Directory
  private let file: File
  private let identity: FileIdentity
  private let isWritable: Bool
  private let process = getpid()
  private let holder = Monitor(Holder.none)

  /// Opens a lock file.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - directory: Where it is.
  ///   - create: Whether it is created (0600) if it is missing. If not, being allowed to read it is enough.
  /// - Throws: `wrongOwner` or `linked` for a file that could be reached from elsewhere, if it may be written.
  public init(
    _ name: String, in directory: Directory, create: Bool = true
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
    // The holder's number is written into it: never into a file that another one lent, or that has a name elsewhere.
    if isWritable { try DataFile.checkOwner(status, name: name, trusting: []) }
    identity = status.identity
    self.name = name
    self.directory = directory
    self.file = file
    self.isWritable = isWritable
  }

  private static func created(_ name: String, in directory: Directory) throws(StoreFileError) -> File {
    do { return try directory.create(name) } catch .alreadyThere {
      return try directory.open(name, .readWrite)
    }
  }

  /// Takes the lock, and waits for it as long as it takes.
  public func lock(_ mode: Mode) throws(StoreFileError) -> Hold {
    if try take(mode, waiting: true) { return Hold(lock: self) }
    throw .system(call: "flock", file: name, errno: EWOULDBLOCK)
  }

  /// Takes the lock if that needs no waiting.
  ///
  /// - Returns: `nil` if somebody else holds it.
  public func tryLock(_ mode: Mode) throws(StoreFileError) -> Hold? {
    try take(mode, waiting: false) ? Hold(lock: self) : nil
  }

  /// The process that took the lock exclusively last, as it wrote it down.
  ///
  /// - Returns: `nil` if it could not write that. It may have given the lock back since.
  public func lastHolder() throws(StoreFileError) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    var span = bytes.mutableSpan
    let count = try file.read(into: &span, at: 0)
    let text = bytes.prefix(count).prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
    return Int32(String(decoding: text, as: UTF8.self))
  }

  /// Whether the name still stands for the file that is locked.
  public func isCurrent() throws(StoreFileError) -> Bool {
    try directory.status(of: name)?.identity == identity
  }

  private func take(_ mode: Mode, waiting: Bool) throws(StoreFileError) -> Bool {
    // A child would share the parent's lock without either knowing.
    guard getpid() == process else { throw .usedAfterFork }
    switch enter(mode, waiting: waiting) {
    case .joined: return true
    case .busy: return false
    case .first: break
    }
    do {
      let operation = (mode == .exclusive ? LOCK_EX : LOCK_SH) | (waiting ? 0 : LOCK_NB)
      try system("flock", name) { flock(file.descriptor, operation) }
      if mode == .exclusive { try writeHolder() }
    } catch {
      // Also a lock that was taken and whose holder could not be noted.
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

  /// Gives the system's lock back.
  ///
  /// A failure has nowhere to go and costs nobody anything for ever: this process takes a lock that it still has, and gives it
  /// back the next time, or when it ends.
  private func unlock() {
    while flock(file.descriptor, LOCK_UN) != 0 && errno == EINTR {}
  }

  /// Writes down who holds the lock, or nothing rather than the one before.
  private func writeHolder() throws(StoreFileError) {
    guard isWritable else { return }
    let digits = String(process)
    let line = Array((digits + String(repeating: " ", count: max(0, 10 - digits.utf8.count)) + "\n").utf8)
    do { try file.write(line.span) } catch .diskFull { try file.truncate(to: 0) }
  }
}
