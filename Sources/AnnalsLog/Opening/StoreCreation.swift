internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Creates a store next to its final place and renames it when it is whole and durable, so that a crash
/// leaves no partial store. The new name itself is durable when the store is opened (``StorePlace``).
package struct StoreCreation {
  let parent: Directory
  /// The final name, which need not be UTF-8.
  let name: [UInt8]

  /// The minimum free space on the disk for a new store. Without it, touching the map of LMDB's lock file
  /// would kill the process.
  package static let room = 1 << 20
  private static let suffix = ".tmp"
  /// The lock file whose lock is free in a leftover.
  private static let lock = "open.lock"
  /// The number of times that a creation starts again after another process has removed it.
  private static let attempts = 20
  /// The longest name that leaves room for a prefix, a number and a suffix within the 255 bytes of a file's
  /// name.
  private static let longest = 255 - 2 - 20 - Self.suffix.utf8.count
  /// The prefix of this store's temporary names: its own name, or a digest of one that is too long or not
  /// UTF-8.
  private var prefix: String {
    if name.count <= Self.longest, let text = String(validating: name, as: UTF8.self) { return ".\(text)." }
    let digest = SHA256.hash(name).prefix(16).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
    return ".annals-\(digest.joined())."
  }

  /// Creates the store.
  ///
  /// - Parameters:
  ///   - room: The disk space that it needs, in bytes.
  ///   - content: Writes the whole store into a directory, with the lock of its `open.lock`, and waits until
  ///     it is on disk.
  /// - Returns: Whether it was created; `false` if the name is taken by now.
  func run(
    room: Int = Self.room,
    _ content: (Directory, _ open: FileLock) throws(AnnalsError) -> Void
  ) throws(AnnalsError) -> Bool {
    try removeLeftovers()
    let free = try files { () throws(StoreFileError) in try parent.fileSystem().free }
    guard free >= room else {
      throw AnnalsError(
        .diskFull, "a new store needs \(room) bytes of disk, and \(free) are free; nothing was created")
    }
    for _ in 0..<Self.attempts {
      if let created = try attempt(content) { return created }
    }
    throw AnnalsError(
      .busy, "other processes that create the same store removed each attempt; try again")
  }

  /// Creates the store once.
  ///
  /// - Returns: Whether it was created; `nil` if another process took the unfinished one for a leftover.
  private func attempt(
    _ content: (Directory, FileLock) throws(AnnalsError) -> Void
  ) throws(AnnalsError) -> Bool? {
    let temporary = prefix + String(UInt64.random(in: 0 ... .max)) + Self.suffix
    let directory: Directory
    do throws(StoreFileError) { directory = try parent.createDirectory(temporary) } catch .missing {
      return nil
    } catch {
      throw AnnalsError(error)
    }
    let created: Bool
    do throws(AnnalsError) {
      let hold = try fill(directory, content)
      created = try publish(temporary)
      // Not before the directory has its name: one whose lock is free is a leftover.
      _ = consume hold
    } catch {
      // A file of its own is missing: another process is removing the directory, and not done with it yet.
      if error.code == .incomplete { return nil }
      if try isGone(directory, called: temporary) { return nil }
      let cause = error
      // The first failure is reported. The next creation removes the leftovers.
      do { try remove(directory, called: temporary) } catch {}
      throw cause
    }
    if !created { try remove(directory, called: temporary) }
    return created
  }

  /// Whether the name no longer refers to the directory.
  private func isGone(_ directory: Directory, called temporary: String) throws(AnnalsError) -> Bool {
    try files { () throws(StoreFileError) in
      try parent.status(of: temporary)?.identity != directory.status().identity
    }
  }

  /// Writes the whole store into `directory`.
  ///
  /// - Returns: The hold on `open.lock`, which distinguishes the directory from a leftover.
  private func fill(
    _ directory: Directory, _ content: (Directory, FileLock) throws(AnnalsError) -> Void
  ) throws(AnnalsError) -> FileLock.Hold {
    // The lock comes first: a directory without one, or whose lock is free, is a leftover.
    let open = try files { () throws(StoreFileError) in try FileLock(Self.lock, in: directory) }
    let hold = try files { () throws(StoreFileError) in
      let hold = try open.lock(.exclusive)
      guard try open.isCurrent() else { throw .replaced(file: open.name) }
      return hold
    }
    try content(directory, open)
    return hold
  }

  /// Writes a whole empty store into `directory`, and waits until it is on disk.
  ///
  /// - Parameter log: The id of the new log.
  static func emptyLog(
    _ directory: Directory, _ open: FileLock, _ idempotency: StoreOptions.Idempotency?, log: UUID
  ) throws(AnnalsError) {
    let current = CurrentFile(log: log, generation: 1)
    let (locks, lease) = try files { () throws(StoreFileError) in
      try current.locks(creatingIn: directory, open)
    }
    let environment = try storage { () throws(EnvironmentError) in
      try Environment.open(
        current.fileName, in: directory, tables: StoreTables.definitions, locks: locks,
        options: EnvironmentOptions(generation: .readWrite, create: true))
    }
    try storage { () throws(EnvironmentError) in
      let table = StoreTables(environment).meta
      var meta = StoreMeta(log: current.log)
      if let idempotency { meta.idempotency = idempotency }
      meta.requires += [.journal, .journalHash, .times]
      if meta.idempotency == .always {
        meta.window = StoreMeta.widest
        _ = try environment.create(later: StoreTables.ids, environment.turn())
      }
      try environment.createJournal(StoreTables.journal)
      try environment.write { (transaction) throws(EnvironmentError) in
        for (name, value) in meta.rows() {
          let key = Array(name.rawValue.utf8)
          try transaction.put(Row.seal(value, key: key).span, forKey: key.span, in: table)
        }
      }
    }
    // Everything stays open meanwhile, so a store is created only if there are enough descriptors to open it.
    try withExtendedLifetime((environment, lease)) { () throws(AnnalsError) in
      try files { () throws(StoreFileError) in
        try directory.replace(CurrentFile.name, with: current.encoded().span)
        try directory.synchronize()
      }
    }
  }

  /// Gives the finished store its name. Its first opener waits until the name is durable.
  ///
  /// - Returns: Whether the name was free.
  private func publish(_ temporary: String) throws(AnnalsError) -> Bool {
    try files { () throws(StoreFileError) in
      do throws(StoreFileError) {
        try parent.rename(temporary, to: name, in: parent)
      } catch .alreadyThere {
        return false
      }
      return true
    }
  }

  /// Whether a creation of this store makes such a name. Nothing else is ever removed.
  private func isTemporary(_ leftover: String) -> Bool {
    guard leftover.hasPrefix(prefix), leftover.hasSuffix(Self.suffix) else { return false }
    let number = leftover.utf8.dropFirst(prefix.utf8.count).dropLast(Self.suffix.utf8.count)
    return !number.isEmpty && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// Removes the leftovers of interrupted creations, unless one of them is still at work.
  private func removeLeftovers() throws(AnnalsError) {
    let names = try files { () throws(StoreFileError) in try parent.names() }
    for leftover in names where isTemporary(leftover) {
      try files { () throws(StoreFileError) in
        // Another process may remove it at the same time, or be about to fill it.
        guard try parent.status(of: leftover)?.isDirectory == true else { return }
        do throws(StoreFileError) {
          if try parent.removeDirectoryIfEmpty(leftover) { return }
          let directory = try parent.directory(leftover)
          guard let hold = try FileLock(Self.lock, in: directory, create: false).tryLock(.exclusive)
          else { return }
          // Its creator may have finished it, and given it its name, while this process was on the way to the
          // lock.
          guard try parent.status(of: leftover)?.identity == directory.status().identity else { return }
          // The lock goes last: after a crash, a directory without it would not be recognised as a leftover.
          try parent.removeTree(leftover, directory, last: Self.lock)
          _ = consume hold
        } catch .missing {
        }
      }
    }
  }

  private func remove(_ directory: Directory, called name: String) throws(AnnalsError) {
    try files { () throws(StoreFileError) in
      // Another process may be removing the same leftover.
      do throws(StoreFileError) { try parent.removeTree(name, directory, last: Self.lock) } catch .missing {}
    }
  }

  /// Whether there is a part of such a store, made by this process or by another one.
  func hasLeftovers() throws(AnnalsError) -> Bool {
    try files { () throws(StoreFileError) in try parent.names().contains(where: isTemporary) }
  }
}
