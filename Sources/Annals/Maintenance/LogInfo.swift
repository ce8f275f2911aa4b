internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a store says of itself, read from its small tables and not from the log.
public struct LogInfo: Sendable {
  /// A schema version that events were stored under.
  public struct Schema: Hashable, Sendable {
    /// The store's number for it.
    public let ordinal: UInt16
    /// The version; `nil` for what was stored without one.
    public let version: SchemaVersion?
    /// How many events are stored under it.
    public let count: UInt64
  }

  /// What all copies and generations of the log share.
  public let id: UUID
  /// The format of the store's bytes.
  public let format: UInt32
  /// The number of the generation in use.
  public let generation: UInt64
  /// How many entries the log has.
  public let entries: UInt64
  /// How many streams the log has.
  public let streams: UInt64
  /// The schema versions, in the order in which they were first used.
  public let schemas: [Schema]
  /// How much there is of each record type in each schema version, in the order in which they were first stored.
  public let census: [CensusLine]
  /// How many of a stream's newest entries are searched for a repeated event id.
  public let window: UInt64
  /// The names of the features that a program must know.
  public let requires: [String]
  /// The length of the log's file in bytes.
  public let fileSize: Int
  /// The bytes in use by the tables.
  public let used: Int
}

extension LogSnapshot {
  /// How many streams there are: those that have a row, and those of the tail that have none yet.
  fileprivate func streamCount() throws(AnnalsError) -> UInt64 {
    var count = UInt64(clamping: try reader.statistics(of: core.tables.streams).entries)
    for id in try heads.births(reader) where try reader.storedID(of: reader.name(of: id)) == nil {
      count += 1
    }
    return count
  }
}

extension EventLog {
  /// What the store says of itself.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `storeReplaced`, `tooManyReaders` or `inputOutput`.
  /// - Complexity: O(schema versions and record types), whatever the length of the log.
  public func info() throws(AnnalsError) -> LogInfo {
    try read { (snapshot) throws(AnnalsError) in
      let reader = snapshot.reader
      let meta = try reader.meta()
      let census = try reader.census()
      var counts: [UInt16: UInt64] = [:]
      for kind in snapshot.kinds.kinds.values {
        counts[kind.row.ordinal, default: 0] &+= census[kind.number]?.parts ?? 0
      }
      let schemas = snapshot.kinds.schemas.sorted { $0.key < $1.key }.map { ordinal, row in
        LogInfo.Schema(ordinal: ordinal, version: row.version, count: counts[ordinal, default: 0])
      }
      var pages = 0
      for table in core.environment.tables {
        let statistics = try reader.statistics(of: table)
        pages = pages &+ statistics.branchPages &+ statistics.leafPages &+ statistics.overflowPages
      }
      let status = try files { () throws(StoreFileError) in
        try core.directory.status(of: core.current.fileName)
      }
      guard let status else { throw AnnalsError(StoreFileError.replaced(file: core.current.fileName)) }
      return LogInfo(
        id: meta.log, format: StoreMeta.format, generation: meta.generation, entries: try reader.last(),
        streams: try snapshot.streamCount(), schemas: schemas,
        census: try snapshot.census(), window: meta.window, requires: meta.requires.map(\.name),
        fileSize: status.size,
        used: pages &* core.environment.pageSize)
    }
  }

  /// What the store at `url` says of itself, without a plan and without changing anything.
  ///
  /// The file may be damaged or come from elsewhere: the pages that are read are checked first.
  ///
  /// - Throws: As ``init(at:options:)``.
  /// - Complexity: As ``info()``.
  public static func inspect(_ url: URL) throws(AnnalsError) -> LogInfo {
    var options = StoreOptions(access: .readOnly, creation: .never, trust: .nobody)
    options.scope = StoreTables.small
    return try EventLog(at: url, options: options).info()
  }
}
