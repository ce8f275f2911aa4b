package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import LMDB
import Synchronization

/// The file of a store that holds snapshots of aggregates. It is a cache: an erasure removes it, also while
/// processes have it open.
package final class SnapshotFile: Sendable {
  /// The tables of the file.
  package static let definitions = [TableDefinition("snapshots", integerKeys: false)]
  /// The name of the file and its locks, without an ending.
  package static let stem = "snapshots"
  package static let directoryName = "views"
  /// The largest size in bytes of a file whose pages are all checked when it is opened.
  private static let wholeSize = 64 << 20

  private let environment: Environment
  private let table: Table

  private init(_ environment: Environment) {
    self.environment = environment
    table = environment.table("snapshots")
  }

  /// Opens the file in a store's directory, or creates it where that is allowed.
  ///
  /// - Parameters:
  ///   - access: The access of all users of the file in this process.
  ///   - creating: Whether to create a missing file.
  /// - Returns: `nil` if the file is not available. Everything works without it.
  fileprivate static func open(
    in store: Directory, access: StoreOptions.Access, creating: Bool
  ) -> SnapshotFile? {
    do {
      let directory: Directory
      do { directory = try store.directory(directoryName) } catch .missing {
        guard creating else { return nil }
        do { directory = try store.createDirectory(directoryName) } catch .alreadyThere {
          directory = try store.directory(directoryName)
        }
      }
      let locks = EnvironmentLocks(
        open: try FileLock(stem + ".open", in: directory, create: creating),
        queue: try FileLock(stem + ".queue", in: directory, create: creating),
        write: try FileLock(stem + ".write", in: directory, create: creating))
      // Checking for the file and creating it must be one step.
      let hold = try locks.open.lock(.exclusive)
      let opened = try open(stem + ".mdb", in: directory, locks, access, creating)
      _ = consume hold
      return opened
    } catch {
      return nil
    }
  }

  private static func open(
    _ name: String, in directory: Directory, _ locks: EnvironmentLocks, _ access: StoreOptions.Access,
    _ creating: Bool
  ) throws -> SnapshotFile? {
    if try directory.status(of: name) != nil {
      var options = EnvironmentOptions()
      options.access = access == .readWrite ? .readWrite : .readOnly
      options.checkedSize = wholeSize
      do throws(EnvironmentError) {
        return SnapshotFile(
          try Environment.open(name, in: directory, tables: definitions, locks: locks, options: options))
      } catch {
        // The file is incomplete after a crash, or damaged. A cache is simply created again.
        guard creating, error.isOfTheFile else { throw error }
      }
    }
    guard creating else { return nil }
    // Also the lock file of a removed file: another process may have it open.
    try remove(name, in: directory)
    return SnapshotFile(
      try Environment.open(
        name, in: directory, tables: definitions, locks: locks, options: EnvironmentOptions(create: true)))
  }

  private static func remove(_ name: String, in directory: Directory) throws(StoreFileError) {
    for leftover in [name, name + "-lock"] where try directory.status(of: leftover) != nil {
      try directory.remove(leftover)
    }
  }

  /// Whether the file still has its name. If not, an erasure has removed it, and its states may include
  /// erased events.
  fileprivate var isCurrent: Bool {
    do throws(StoreFileError) { return try environment.isCurrent() } catch { return false }
  }

  /// Returns the snapshot for a source; `nil` if there is none that can be used.
  func row(for source: AggregateSnapshotRow.Source) -> AggregateSnapshotRow? {
    let key = source.key
    do {
      return try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
        let stored: Span<UInt8>?
        do throws(EnvironmentError) { stored = try transaction.value(forKey: key.span, in: table) } catch {
          throw AnnalsError(error)
        }
        guard let stored else { return nil }
        let row = try StoreReader.open(stored, key: key.span, name: "a snapshot", in: table) {
          (bytes) throws(FormatFailure) in try AggregateSnapshotRow(bytes)
        }
        return row.source == source ? row : nil
      }
    } catch {
      // The events give the same state.
      return nil
    }
  }

  /// Keeps a snapshot, unless another process or thread is writing. In that case the next reader of the
  /// stream keeps one.
  func keep(_ row: AggregateSnapshotRow) {
    do throws(AnnalsError) { try put(Row.seal(row.encoded(), key: row.source.key), row.source.key) } catch {
      // A failed write to the cache costs only time.
    }
  }

  /// Removes all snapshots, so that no process uses them any more.
  private func clear() throws(AnnalsError) {
    try environment.write(within: .seconds(60)) { (transaction) throws(AnnalsError) in
      do throws(EnvironmentError) {
        while true {
          var cursor = try transaction.view.cursor(in: table)
          guard let key = try cursor.next()?.key.copied else { return }
          try transaction.delete(key: key.span, in: table)
        }
      } catch {
        throw AnnalsError(error)
      }
    }
  }

  /// Removes all snapshots of a store, also for programs that have it open.
  package static func clear(in store: Directory) throws(AnnalsError) {
    try open(in: store, access: .readWrite, creating: true)?.clear()
  }

  /// Removes the file of a store, whose rows and free pages may still have erased events.
  ///
  /// It waits for no writer: what a program still writes to the file has no name. A program that has the file
  /// open does not use it in loads that begin from now on.
  fileprivate static func remove(in store: Directory) throws(AnnalsError) {
    try files { () throws(StoreFileError) in
      let directory: Directory
      do throws(StoreFileError) { directory = try store.directory(directoryName) } catch .missing {
        return
      }
      let hold = try FileLock(stem + ".open", in: directory).lock(.exclusive)
      try remove(stem + ".mdb", in: directory)
      try directory.synchronize()
      _ = consume hold
    }
  }

  private func put(_ row: [UInt8], _ key: [UInt8]) throws(AnnalsError) {
    guard environment.access == .readWrite,
      let turn = try storage({ () throws(EnvironmentError) in try environment.turnIfFree() })
    else { return }
    var transaction = try environment.write(turn, .relaxed)
    do throws(EnvironmentError) {
      try transaction.put(row.span, forKey: key.span, in: table)
      try transaction.commit()
    } catch {
      throw AnnalsError(error)
    }
  }
}

extension EnvironmentError {
  /// Whether the file could not be opened because of its content.
  fileprivate var isOfTheFile: Bool {
    switch self {
    // LMDB's own codes are negative; those of the system are not.
    case .lmdb(let error): error.code < 0
    case .file(.truncated), .file(.tooLarge), .file(.notLMDB), .file(.damaged): true
    default: false
    }
  }
}

/// The snapshots of a log's aggregates, from the first use on.
private final class SharedSnapshotFile: Sendable {
  let file = Mutex<SnapshotFile?>(nil)
}

extension LogCore {
  /// Returns the states of aggregates that are kept next to the log; `nil` if they are not available.
  ///
  /// - Parameter creating: Whether to create a missing file.
  func snapshots(creating: Bool) -> SnapshotFile? {
    attachments.value(SharedSnapshotFile.self) { SharedSnapshotFile() }.file.withLock { known in
      if let known, known.isCurrent { return known }
      known = SnapshotFile.open(in: generation.directory, access: access, creating: creating)
      return known
    }
  }

  /// Removes the states of aggregates that are kept next to the log. Later loads fold from the beginning.
  package func removeSnapshots() throws(AnnalsError) {
    try SnapshotFile.remove(in: generation.directory)
    // Its space is free once nobody has it open.
    attachments.value(SharedSnapshotFile.self) { SharedSnapshotFile() }.file.withLock { $0 = nil }
  }
}
