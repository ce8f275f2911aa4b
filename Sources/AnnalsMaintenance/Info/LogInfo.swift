public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
internal import AnnalsMigration
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A description of a store, read from its small tables and not from the log.
public struct LogInfo: Sendable {
  /// A schema version that events were stored under.
  public struct Schema: Hashable, Sendable {
    /// The store's number for it.
    public let ordinal: UInt16
    /// The version; `nil` for events stored without one.
    public let version: SchemaVersion?
    /// The number of events that are stored under it.
    public let count: UInt64
  }

  /// A snapshot that a process reads from.
  public struct Reader: Hashable, Sendable {
    /// The process.
    public let process: Int32
    /// The number of commits that came after the one that it reads.
    public let commitsBehind: UInt64
  }

  /// The permitted uses of the generation in use.
  public enum State: String, Hashable, Sendable {
    /// It takes appends.
    case live
    /// It takes appends only after ``EventLog/accept(_:)``.
    case appendsSuspended
  }

  /// The generation from which a migration pass made the one in use.
  public struct Predecessor: Hashable, Sendable {
    /// Its number.
    public let generation: UInt64
    /// The newest position at the switch; `nil` if the log was empty. ``EventLog/rollback(_:)`` is possible
    /// while this is the last position of the log.
    public let last: Position?
  }

  /// A migration pass that is running or was interrupted.
  public struct Pass: Hashable, Sendable {
    /// The id of the pass.
    public let id: UUID
    /// The number of the generation that it builds.
    public let generation: UInt64
    /// The version that its plan ends at; `nil` if it has no plan.
    public let version: SchemaVersion?
  }

  /// The part that the store has in a cluster.
  public struct Cluster: Hashable, Sendable {
    /// The sequence of the last message of the cluster's log that is applied.
    public let applied: UInt64
    /// Whether the machine has stopped because it needs another program.
    public let needsProgram: Bool
    /// The schema version that the program's plan must have; `nil` for a newer version of the library, or if
    /// no other program is needed.
    public let neededVersion: SchemaVersion?
  }

  /// The id that all copies and generations of the log share.
  public let id: UUID
  /// The format of the store's bytes.
  public let format: UInt32
  /// The number of the generation in use.
  public let generation: UInt64
  /// The state of the generation in use.
  public let state: State
  /// The generation to go back to; `nil` if there is none.
  public let predecessor: Predecessor?
  /// The migration pass that is unfinished; `nil` if none is.
  public let pass: Pass?
  /// The number of entries in the log.
  public let entries: UInt64
  /// The number of streams in the log.
  public let streams: UInt64
  /// The number of different tags of its events. A tag that only erased events have counts until a pass.
  public let tags: UInt64
  /// The schema versions, in the order in which they were first used.
  public let schemas: [Schema]
  /// The events of each record type in each schema version, in the order in which they were first stored.
  public let census: [CensusLine]
  /// The number of a stream's newest entries that are searched for a repeated event id. Without meaning where
  /// ``idempotency`` is `always`.
  public let window: UInt64
  /// How the store recognises event ids that it has already.
  public let idempotency: StoreOptions.Idempotency
  /// The names of the features that a program must know.
  public let requires: [String]
  /// The part that the store has in a cluster; `nil` for none.
  public let cluster: Cluster?
  /// The number of newest entries that `streams` and the heads do not include yet, so that an open reads
  /// them.
  public let tailLength: UInt64
  /// The entry up to which the heads of streams are being merged into their rows, if a merge is running or
  /// was interrupted.
  public let merging: Position?
  /// The length of the log's file in bytes.
  public let fileSize: Int
  /// The bytes in use, by the tables and the pages that lead to them.
  public let used: Int
  /// The unused bytes of the file. Later appends take them as soon as no reader needs their former contents.
  public let free: Int
  /// The address space that this process has set aside for the file, in bytes: how far the file can grow
  /// while it is open.
  public let mapSize: Int
  /// The number of open snapshots of all processes.
  public let readers: Int
  /// The snapshot of the oldest commit, if there is any. While it is open, pages freed after it are not
  /// reused, and the file grows.
  public let oldestReader: Reader?
}

extension LogSnapshot {
  /// The number of streams: those that have a row, and those of the tail that have none yet.
  ///
  /// Only while heads are merged, or after that was interrupted, does a stream of the tail have a row.
  fileprivate func streamCount() throws(AnnalsError) -> UInt64 {
    var count = UInt64(clamping: try reader.statistics(of: generation.tables.streams).entries)
    let births = try heads.births(reader)
    guard try reader.merge() != nil else { return count + UInt64(births.count) }
    for id in births where try reader.storedID(of: reader.name(of: id)) == nil {
      count += 1
    }
    return count
  }
}

extension LogSnapshot {
  /// The number of tags: of the rows that lead to the newest entry of each.
  fileprivate func tagCount() throws(AnnalsError) -> UInt64 {
    guard kinds.hasTags else { return 0 }
    guard let table = generation.environment.tags else { throw AnnalsError.missingTags }
    return UInt64(clamping: try reader.statistics(of: table).entries)
  }
}

extension EventLog {
  /// Returns a description of the store.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `storeReplaced`, `tooManyReaders` or `inputOutput`.
  /// - Complexity: O(schema versions and record types), regardless of the length of the log.
  public func info() throws(AnnalsError) -> LogInfo {
    let environment = try read { (snapshot) throws(AnnalsError) in snapshot.generation.environment }
    // Before this snapshot begins, which is none to report.
    let (readers, newest) = try storage { () throws(EnvironmentError) in
      try environment.clearStaleReaders()
      return (try environment.readers(), try environment.lastTransaction())
    }
    let snapshots = readers.compactMap { reader in
      reader.transaction.map {
        LogInfo.Reader(process: reader.process, commitsBehind: newest - min($0, newest))
      }
    }
    return try read { (snapshot) throws(AnnalsError) in
      let (reader, generation) = (snapshot.reader, snapshot.generation)
      let meta = try reader.meta()
      let census = try reader.census()
      var counts: [UInt16: UInt64] = [:]
      for kind in snapshot.kinds.kinds.values {
        counts[kind.row.ordinal, default: 0] &+= census[kind.number]?.parts ?? 0
      }
      let schemas = snapshot.kinds.schemas.sorted { $0.key < $1.key }.map { ordinal, row in
        LogInfo.Schema(ordinal: ordinal, version: row.version, count: counts[ordinal, default: 0])
      }
      let pages = try storage { () throws(EnvironmentError) in try snapshot.transaction.pageUse() }
      // Read from the table's record: the pages of a log that may be damaged are not looked at.
      let entries = UInt64(clamping: try reader.statistics(of: generation.tables.entries).entries)
      let status = try files { () throws(StoreFileError) in
        try generation.directory.status(of: generation.current.fileName)
      }
      guard let status else { throw AnnalsError(StoreFileError.replaced(file: generation.current.fileName)) }
      return LogInfo(
        id: meta.log, format: StoreMeta.format, generation: meta.generation,
        state: meta.state == .appendsSuspended ? .appendsSuspended : .live,
        predecessor: try reader.predecessor().map {
          LogInfo.Predecessor(generation: $0.generation, last: $0.last == 0 ? nil : Position($0.last))
        },
        pass: try reader.pass().map { LogInfo.Pass(id: $0.id, generation: $0.other, version: $0.version) },
        entries: entries,
        streams: try snapshot.streamCount(), tags: try snapshot.tagCount(), schemas: schemas,
        census: try snapshot.census(), window: meta.window, idempotency: meta.idempotency,
        requires: meta.requires.map(\.name), cluster: try reader.clusterInfo(),
        tailLength: entries - min(meta.checkpoint, entries),
        merging: try reader.merge().map { Position($0.position) },
        fileSize: status.size,
        used: pages.used &* generation.environment.pageSize,
        free: pages.free &* generation.environment.pageSize,
        mapSize: generation.environment.mapSize, readers: snapshots.count,
        oldestReader: snapshots.max { $0.commitsBehind < $1.commitsBehind })
    }
  }

  /// Returns a description of the store at `url`, without a plan and without changing anything.
  ///
  /// The file may be damaged or come from elsewhere: the pages that are read are checked first.
  ///
  /// - Throws: As ``init(at:options:)``.
  /// - Complexity: As ``info()``.
  public static func inspect(_ url: URL) throws(AnnalsError) -> LogInfo {
    var options = StoreOptions(access: .readOnly, creation: .never, trust: .nobody)
    options.scope = StoreTables.small
    let log = try EventLog(at: url, options: options)
    // The streams that begin in the tail are counted by its entries.
    let checkpoint = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.checkpoint() }
    let generation = log.core.generation
    try StorePages(generation.directory, generation.current).entriesMustBeSound(after: checkpoint)
    return try log.info()
  }
}

extension StoreReader {
  fileprivate func clusterInfo() throws(AnnalsError) -> LogInfo.Cluster? {
    guard let applied = try appliedSequence() else { return nil }
    let need = try programNeed()
    return LogInfo.Cluster(applied: applied, needsProgram: need != nil, neededVersion: need?.version)
  }
}
