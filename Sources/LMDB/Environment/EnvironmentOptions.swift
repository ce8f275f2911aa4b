/// How an environment is opened.
public struct EnvironmentOptions: Sendable {
  /// What may be done with the environment.
  public enum Access: Sendable {
    /// Reading only. Nothing but the reader's slot in the lock file is written.
    case readOnly
    /// Reading and writing.
    case readWrite
  }

  /// What keeps processes from each other's work, so that a test can show what each is for.
  package struct Guards: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// `queue.lock` and `write.lock` are taken.
    package static let locks = Guards(rawValue: 1)
    /// The transaction's number is the one after the last commit's.
    package static let transactionID = Guards(rawValue: 2)
    /// The names still stand for the open files.
    package static let names = Guards(rawValue: 4)
    /// The file has not become shorter.
    package static let size = Guards(rawValue: 8)
    /// `open.lock` is taken around an open and a close.
    package static let opening = Guards(rawValue: 16)
    /// The opener's snapshot is not older than the meta pages.
    package static let snapshot = Guards(rawValue: 32)
    /// All of them.
    package static let all: Guards = [.locks, .transactionID, .names, .size, .opening, .snapshot]
  }

  /// What may be done with the environment.
  public var access: Access

  /// Whether the file is created; it must not exist then, and must exist otherwise.
  public var create: Bool

  /// The address space to set aside in bytes, below 2^46.
  ///
  /// It is less where the process has many environments open, and halved where it may not have that much, down to the file and a
  /// quarter.
  public var mapSize: Int

  /// How many read transactions there may be at a time in all processes; the first opener decides.
  public var maximumReaders: Int

  /// Users besides this process's own and root whose file is opened.
  public var trustedOwners: [UInt32] = []

  /// Tables that the file need not have: those that are there are opened with the others, and the rest by ``Environment/open(later:create:)``.
  public var laterTables: [TableDefinition] = []

  /// The guards; all but in tests that show what they are for.
  package var guards = Guards.all

  /// The options for a store's file.
  public init(
    access: Access = .readWrite, create: Bool = false, mapSize: Int = 1 << 40,
    maximumReaders: Int = 1024
  ) {
    self.access = access
    self.create = create
    self.mapSize = mapSize
    self.maximumReaders = maximumReaders
  }
}

/// When the disk has a committed transaction.
public enum Durability: Sendable {
  /// Before the commit returns.
  case full
  /// At most the last commit can be missing after a power cut.
  case relaxed
  /// A power cut may leave a file that cannot be used, until ``Environment/synchronize()``. Only for files that can be built again.
  case none
}

/// The locks of a store that an environment takes part in.
public struct EnvironmentLocks: Sendable {
  /// Held while an environment is opened or closed.
  public let open: FileLock
  /// Taken before `write`, so that writers are served in turn.
  public let queue: FileLock
  /// Held during each write transaction.
  public let write: FileLock

  /// The three locks of one store.
  public init(open: FileLock, queue: FileLock, write: FileLock) {
    self.open = open
    self.queue = queue
    self.write = write
  }

  /// Takes `write` if nobody has it or waits for it.
  func turnIfFree() throws(StoreFileError) -> FileLock.Hold? {
    guard let turn = try queue.tryLock(.exclusive) else { return nil }
    let hold = try write.tryLock(.exclusive)
    _ = consume turn
    return hold
  }

  /// Takes `write` in turn, and waits until `end` at most.
  func turn(until end: ContinuousClock.Instant) throws(StoreFileError) -> FileLock.Hold? {
    // `flock` knows no time-out. Beside writers that never rest `queue` is free for moments only; whoever has caught it has the next turn.
    guard let turn = try Self.take(queue, until: end) else { return nil }
    let hold = try Self.take(write, until: end)
    _ = consume turn
    return hold
  }

  private static func take(
    _ lock: FileLock, until end: ContinuousClock.Instant
  ) throws(StoreFileError) -> FileLock.Hold? {
    while true {
      if let hold = try lock.tryLock(.exclusive) { return hold }
      guard ContinuousClock.now < end else { return nil }
      // So short, because such a moment is what the next in line takes to wake, some 30 µs of each commit.
      WriterThread.pause(microseconds: 200)
    }
  }

  /// Takes `write` in turn, and waits as long as it takes.
  func turn() throws(StoreFileError) -> FileLock.Hold {
    // Whoever waits for `queue` has the next turn: blocked writers alone starve each other.
    let turn = try queue.lock(.exclusive)
    let hold = try write.lock(.exclusive)
    _ = consume turn
    return hold
  }
}
