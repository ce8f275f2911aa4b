#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that stands for something that lives in a process: it is locked as long as that lives, and removed when it ends.
///
/// A file of its kind that nobody has locked is left of a process that was killed: it has its name only after it was locked.
public final class HeldFile: Sendable {
  private static let temporary = ".tmp"
  /// How often another name is tried, because somebody who cleaned up was faster.
  private static let tries = 10

  /// The name of the file.
  public let name: String
  private let directory: Directory
  private let hold: FileLock.Hold
  private let process = getpid()

  /// Creates the file.
  ///
  /// The first eleven bytes are the number of the process and a newline, as in every lock file; what follows is `content`, or nothing where the disk is full.
  ///
  /// - Parameters:
  ///   - directory: Where it will be.
  ///   - content: What stands behind the number.
  ///   - name: A name that nothing has.
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
    // A child of a fork has the object and not what it stands for.
    guard getpid() == process else { return }
    // Without its lock it is known to be left over, so that it may stay where it cannot be removed.
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
      // The first failure is the one to tell; whoever comes by next removes what stays.
      do { try directory.remove(unfinished) } catch {}
      throw cause
    }
  }

  private static func write(_ content: [UInt8], to file: borrowing File) throws(StoreFileError) {
    let bytes = Array(repeating: UInt8(ascii: " "), count: headCount - 1) + [UInt8(ascii: "\n")] + content
    do throws(StoreFileError) { try file.write(bytes.span) } catch .diskFull { try file.truncate(to: 0) }
  }

  /// How many bytes stand before the content.
  public static let headCount = 11

  /// What a file of this kind holds, for who found it.
  public struct Found: Sendable {
    /// The name of the file.
    public let name: String
    /// The number of the process that holds it; `nil` where it could not be noted.
    public let process: Int32?
    /// What stands behind the number; `nil` where that cannot be read.
    public let content: [UInt8]?
    /// Whether somebody holds it; if not, it is left of a process that was killed.
    public let isHeld: Bool
  }

  /// The files of this kind whose names begin and end in a way.
  ///
  /// - Parameters:
  ///   - isOurs: Whether a name is one that such a file may have.
  ///   - limit: The most bytes that the content of one may have.
  ///   - removing: Whether those that nobody holds are removed.
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
        // Its process has ended, or somebody else has removed it, since the names were read.
      }
    }
    return found
  }

  /// Removes files of this kind that nobody holds.
  ///
  /// - Parameters:
  ///   - count: How many files are looked at, at most. Where there are more, another part of them is each
  ///     time.
  ///   - isOurs: Whether a name is one that such a file may have.
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
        // Its process has ended, or somebody else has removed it, since the names were read.
      }
    }
  }

  /// - Parameter limit: The most bytes that the content may have; `nil` where it is not read.
  private static func look(
    at name: String, in directory: Directory, limit: Int?, removing: Bool
  ) throws(StoreFileError) -> Found {
    let lock: FileLock
    do throws(StoreFileError) { lock = try FileLock(name, in: directory, create: false) } catch {
      if case .missing = error { throw error }
      // What may not be opened may be held.
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
      // That somebody holds it is what matters; who vanishes between two looks is told by the name.
      if case .missing = error { throw error }
      return nil
    }
  }
}
