#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that represents an object of a running process. It is locked as long as the object exists, and
/// removed afterwards.
///
/// A file of this kind that is not locked remains from a process that was killed: it gets its name only after
/// it was locked.
public final class HeldFile: Sendable {
  private static let temporary = ".tmp"
  /// The number of other names to try, if another process removed the file first.
  private static let tries = 10

  /// The name of the file.
  public let name: String
  private let directory: Directory
  private let hold: FileLock.Hold
  private let process = getpid()

  /// Creates the file.
  ///
  /// The first eleven bytes are the number of the process and a newline, as in every lock file. `content`
  /// follows, or nothing if the disk is full.
  ///
  /// - Parameters:
  ///   - directory: The directory for the file.
  ///   - content: The content after the number.
  ///   - name: An unused name.
  public init(
    in directory: Directory, content: [UInt8], _ name: () -> String
  ) throws(StoreFileError) {
    var attempt = 1
    while true {
      let name = name()
      do throws(StoreFileError) {
        hold = try Self.create(name, in: directory, content)
        self.name = name
        self.directory = directory
        return
      } catch .missing where attempt < Self.tries {
        attempt += 1
      }
    }
  }

  deinit {
    // A forked child has the object but not the resource that it represents.
    guard getpid() == process else { return }
    // Without its lock the file counts as left over, so it may remain if it cannot be removed.
    do { try directory.remove(name) } catch {}
  }

  private static func create(
    _ name: String, in directory: Directory, _ content: [UInt8]
  ) throws(StoreFileError) -> FileLock.Hold {
    let unfinished = name + temporary
    let file = try directory.create(unfinished)
    do throws(StoreFileError) {
      try write(content, to: file)
      let lock = try FileLock(unfinished, in: directory, create: false)
      guard let hold = try lock.tryLock(.exclusive) else { throw .missing(file: unfinished) }
      try directory.rename(unfinished, to: name, in: directory)
      return hold
    } catch {
      let cause = error
      // The first failure is the one to report; a later sweep removes the file if it remains.
      do { try directory.remove(unfinished) } catch {}
      throw cause
    }
  }

  private static func write(_ content: [UInt8], to file: borrowing File) throws(StoreFileError) {
    let bytes = Array(repeating: UInt8(ascii: " "), count: headCount - 1) + [UInt8(ascii: "\n")] + content
    do throws(StoreFileError) { try file.write(bytes.span) } catch .diskFull { try file.truncate(to: 0) }
  }

  /// The number of bytes before the content.
  public static let headCount = 11

  /// The result of reading a file of this kind.
  public struct Found: Sendable {
    /// The name of the file.
    public let name: String
    /// The number of the process that has it locked; `nil` if it could not be recorded.
    public let process: Int32?
    /// The content after the number; `nil` if it cannot be read.
    public let content: [UInt8]?
    /// Whether it is locked; if not, it remains from a process that was killed.
    public let isHeld: Bool
  }

  /// Returns the files of this kind with certain names.
  ///
  /// - Parameters:
  ///   - isOurs: Returns whether such a file may have a name.
  ///   - limit: The most bytes of a file's content.
  ///   - removing: Whether to remove files that are not locked.
  public static func all(
    in directory: Directory, limit: Int, removing: Bool, _ isOurs: (String) -> Bool
  ) throws(StoreFileError) -> [Found] {
    var found: [Found] = []
    for name in try directory.names() {
      let isUnfinished = name.hasSuffix(temporary) && isOurs(String(name.dropLast(temporary.utf8.count)))
      guard isUnfinished || isOurs(name) else { continue }
      do throws(StoreFileError) {
        let file = try look(at: name, in: directory, limit: limit, removing: removing)
        if !isUnfinished { found.append(file) }
      } catch .missing {
        // Its process has ended, or another process has removed it, since the names were read.
      }
    }
    return found
  }

  /// Removes files of this kind that are not locked.
  ///
  /// - Parameters:
  ///   - count: The most files to check. If there are more, each call checks another part of them.
  ///   - isOurs: Returns whether such a file may have a name.
  public static func sweep(
    in directory: Directory, lookingAt count: Int, _ isOurs: (String) -> Bool
  ) throws(StoreFileError) {
    let names = try directory.names().filter { name in
      isOurs(name) || name.hasSuffix(temporary) && isOurs(String(name.dropLast(temporary.utf8.count)))
    }
    let start = names.count > count ? Int.random(in: 0..<names.count) : 0
    for index in 0..<min(count, names.count) {
      do throws(StoreFileError) {
        _ = try look(at: names[(start + index) % names.count], in: directory, limit: nil, removing: true)
      } catch .missing {
        // Its process has ended, or another process has removed it, since the names were read.
      }
    }
  }

  /// - Parameter limit: The most bytes of the content; `nil` if it is not read.
  private static func look(
    at name: String, in directory: Directory, limit: Int?, removing: Bool
  ) throws(StoreFileError) -> Found {
    let lock: FileLock
    do throws(StoreFileError) { lock = try FileLock(name, in: directory, create: false) } catch {
      if case .missing = error { throw error }
      // A file that cannot be opened may be locked.
      return Found(name: name, process: nil, content: nil, isHeld: true)
    }
    guard let hold = try lock.tryLock(.shared) else {
      let process = try lock.lastHolder()
      return Found(
        name: name, process: process, content: try content(of: name, in: directory, limit), isHeld: true)
    }
    let process = try lock.lastHolder()
    let content = try content(of: name, in: directory, limit)
    if removing, try lock.isCurrent() { try directory.remove(name) }
    _ = consume hold
    return Found(name: name, process: process, content: content, isHeld: false)
  }

  private static func content(
    of name: String, in directory: Directory, _ limit: Int?
  ) throws(StoreFileError) -> [UInt8]? {
    guard let limit else { return nil }
    do throws(StoreFileError) {
      let bytes = try directory.read(name, limit: limit + headCount)
      return bytes.count > headCount ? Array(bytes[headCount...]) : nil
    } catch {
      // Only the fact that it is locked matters; a file that disappears meanwhile is detected by its name.
      if case .missing = error { throw error }
      return nil
    }
  }
}
