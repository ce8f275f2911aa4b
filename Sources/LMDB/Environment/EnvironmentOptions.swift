/// The options for opening an environment.
public struct EnvironmentOptions: Sendable {
  /// The access to an environment.
  public enum Access: Sendable {
    /// Reading only. Only the reader slot in the lock file is written.
    case readOnly
    /// Reading and writing.
    case readWrite
  }

  /// The guards that protect processes from each other, as options so that tests can show the purpose of
  /// each.
  package struct Guards: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// `queue.lock` and `write.lock` are taken.
    package static let locks = Guards(rawValue: 1)
    /// The transaction's number is the next one after the last commit's.
    package static let transactionID = Guards(rawValue: 2)
    /// The names still refer to the open files.
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

  /// The allowed access.
  public var access: Access

  /// Whether the file is created. It must not exist if so, and must exist otherwise.
  public var create: Bool

  /// The address space to reserve in bytes, below 2^46.
  ///
  /// It is less if the process has many environments open. It is halved while the process cannot reserve that
  /// much, down to the size of the file and a quarter.
  public var mapSize: Int

  /// The most concurrent read transactions in all processes; the first opener decides.
  public var maximumReaders: Int

  /// Users other than this process's own and root whose file is accepted.
  public var trustedOwners: [UInt32] = []

  /// Optional tables of the file. Existing ones are opened with the others, and the rest by
  /// ``Environment/open(later:create:)``.
  public var laterTables: [TableDefinition] = []

  /// The largest size in bytes of a file whose pages are all checked before LMDB opens it, which trusts them.
  /// In a larger file the list of free pages is checked, which every writer reads. `nil` checks nothing.
  public var checkedSize: Int?

  /// The guards; all except in tests that show their purpose.
  package var guards = Guards.all

  /// Creates the options for a store's file.
  public init(
    access: Access = .readWrite, create: Bool = false, mapSize: Int = 1 << 40,
    maximumReaders: Int = 1024, checkedSize: Int? = nil
  ) {
    self.access = access
    self.create = create
    self.mapSize = mapSize
    self.maximumReaders = maximumReaders
    self.checkedSize = checkedSize
  }
}

/// The time at which a committed transaction is on disk.
public enum Durability: Sendable {
  /// Before the commit returns.
  case full
  /// A power loss may lose at most the last commit.
  case relaxed
  /// A power loss may leave an unusable file, until ``Environment/synchronize()``. Only for files that can be
  /// rebuilt.
  case none
}

/// The locks of a store that an environment uses.
public struct EnvironmentLocks: Sendable {
  /// Held while an environment is opened or closed.
  public let open: FileLock
  /// Taken before `write`, so that writers are served in turn.
  public let queue: FileLock
  /// Held during each write transaction.
  public let write: FileLock

  /// Creates the three locks of one store.
  public init(open: FileLock, queue: FileLock, write: FileLock) {
    self.open = open
    self.queue = queue
    self.write = write
  }

  /// Takes `write` if no process has it or waits for it.
  func turnIfFree() throws(StoreFileError) -> FileLock.Hold? {
    guard let turn = try queue.tryLock(.exclusive, isRecorded: false) else { return nil }
    let hold = try write.tryLock(.exclusive)
    _ = consume turn
    return hold
  }

  /// Takes `write` in turn, and waits until `end` at most.
  func turn(until end: ContinuousClock.Instant) throws(StoreFileError) -> FileLock.Hold? {
    // `flock` has no time-out. With writers that never pause, `queue` is only free for moments; the process
    // that gets it has the next turn.
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
      // The pause is short because such a moment is the time that the next waiting process takes to wake,
      // about 30 µs of each commit.
      WriterThread.pause(microseconds: 200)
    }
  }

  /// Takes `write` in turn, and waits without a limit.
  func turn() throws(StoreFileError) -> FileLock.Hold {
    // The process that waits for `queue` has the next turn: without it, blocked writers starve each other.
    let turn = try queue.lock(.exclusive, isRecorded: false)
    let hold = try write.lock(.exclusive)
    _ = consume turn
    return hold
  }
}
