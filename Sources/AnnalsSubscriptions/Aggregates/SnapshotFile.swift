package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import LMDB
import Synchronization

/// The file of a store that holds snapshots of aggregates. It is a cache, and can be removed whenever no
/// process has the store open.
package final class SnapshotFile: Sendable {
  private static let definitions = [TableDefinition("snapshots", integerKeys: false)]
  private static let stem = "snapshots"

  private let environment: Environment
  private let table: Table

  private init(_ environment: Environment) {
    self.environment = environment
    table = environment.table("snapshots")
  }

  /// Opens the file in a store's directory, or creates it where that is allowed.
  ///
  /// - Returns: `nil` if the file is not available. Everything works without it.
  package static func open(in store: Directory, access: StoreOptions.Access) -> SnapshotFile? {
    do {
      let directory: Directory
      do { directory = try store.directory("views") } catch .missing {
        guard access == .readWrite else { return nil }
        do { directory = try store.createDirectory("views") } catch .alreadyThere {
          directory = try store.directory("views")
        }
      }
      let creating = access == .readWrite
      let locks = EnvironmentLocks(
        open: try FileLock(stem + ".open", in: directory, create: creating),
        queue: try FileLock(stem + ".queue", in: directory, create: creating),
        write: try FileLock(stem + ".write", in: directory, create: creating))
      // Checking for the file and creating it must be one step.
      let hold = try locks.open.lock(.exclusive)
      let opened = try open(stem + ".mdb", in: directory, locks, access)
      _ = consume hold
      return opened
    } catch {
      return nil
    }
  }

  private static func open(
    _ name: String, in directory: Directory, _ locks: EnvironmentLocks, _ access: StoreOptions.Access
  ) throws -> SnapshotFile? {
    if try directory.status(of: name) != nil {
      var options = EnvironmentOptions()
      options.access = access == .readWrite ? .readWrite : .readOnly
      do throws(EnvironmentError) {
        return SnapshotFile(
          try Environment.open(name, in: directory, tables: definitions, locks: locks, options: options))
      } catch {
        guard access == .readWrite, error.isOfTheFile else { throw error }
        // The file is incomplete after a crash, or damaged. A cache is simply created again.
        for leftover in [name, name + "-lock"] where try directory.status(of: leftover) != nil {
          try directory.remove(leftover)
        }
      }
    }
    guard access == .readWrite else { return nil }
    return SnapshotFile(
      try Environment.open(
        name, in: directory, tables: definitions, locks: locks, options: EnvironmentOptions(create: true)))
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
    try open(in: store, access: .readWrite)?.clear()
  }

  /// Removes all snapshots and the file of a store, whose free pages may still have them. Programs that have
  /// the file open go on without snapshots.
  fileprivate static func remove(in store: Directory, _ file: SnapshotFile?) throws(AnnalsError) {
    try file?.clear()
    try files { () throws(StoreFileError) in
      let directory: Directory
      do throws(StoreFileError) { directory = try store.directory("views") } catch .missing { return }
      let hold = try FileLock(stem + ".open", in: directory).lock(.exclusive)
      for name in [stem + ".mdb", stem + ".mdb-lock"] where try directory.status(of: name) != nil {
        try directory.remove(name)
      }
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
  let file = Mutex<SnapshotFile??>(nil)
}

extension LogCore {
  /// Returns the states of aggregates that are kept next to the log; `nil` if they cannot be kept.
  func snapshots() -> SnapshotFile? {
    attachments.value(SharedSnapshotFile.self) { SharedSnapshotFile() }.file.withLock { known in
      if let known { return known }
      let opened = SnapshotFile.open(in: generation.directory, access: access)
      known = .some(opened)
      return opened
    }
  }

  /// Removes the states of aggregates that are kept next to the log. Later loads fold from the beginning.
  package func removeSnapshots() throws(AnnalsError) {
    let shared = attachments.value(SharedSnapshotFile.self) { SharedSnapshotFile() }
    let opened = snapshots()
    shared.file.withLock { $0 = nil }
    try SnapshotFile.remove(in: generation.directory, opened)
  }
}
