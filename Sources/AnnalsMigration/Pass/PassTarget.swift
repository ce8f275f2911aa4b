internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The generation that a pass builds: a file that nobody else has open.
///
/// Its write transactions take `pass.lock` in place of the locks of writers, which continue in the old
/// generation meanwhile.
final class PassTarget {
  let current: CurrentFile
  private let locks: EnvironmentLocks
  private var file: Environment?
  /// The file's tables.
  private(set) var tables: StoreTables

  /// The number of heads that are kept in memory while they are merged, besides those of the tail.
  static let heads = 50_000

  /// The durability of the file while entries are copied into it.
  enum Safety: Equatable {
    /// Each commit is on disk.
    case synced
    /// A power loss can lose committed entries, and the file with them.
    case unsynced
  }

  /// Creates the file of a generation.
  ///
  /// - Parameters:
  ///   - meta: The rows of its `meta`, including `building`.
  ///   - row: The pass.
  ///   - facts: Rows of `meta` that are taken over unchanged.
  ///   - boot: The boot of the operating system; `nil` if it is not known.
  ///   - whenMade: Is called when the file has its tables and no row.
  static func create(
    _ current: CurrentFile, in directory: Directory, _ locks: EnvironmentLocks, _ meta: StoreMeta,
    _ row: PassRow, _ facts: [(name: String, value: [UInt8])], newest: UInt64, boot: String?,
    _ whenMade: () -> Void
  ) throws(AnnalsError) -> PassTarget {
    try mark(.synced, current, in: directory, boot: boot)
    let target = try PassTarget(
      current, locks,
      environment(current, in: directory, locks, EnvironmentOptions(generation: .readWrite, create: true)))
    whenMade()
    try storage { () throws(EnvironmentError) in try target.environment.createJournal(StoreTables.journal) }
    var meta = meta
    for feature in [StoreMeta.Requirement.journal, .journalHash] where !meta.requires.contains(feature) {
      meta.requires.append(feature)
    }
    try target.write(.full) { (transaction) throws(AnnalsError) in
      for (name, value) in meta.rows() {
        try transaction.put(value, name.rawValue, in: target.tables.meta)
      }
      try transaction.put(row.encoded(), PassRow.name, in: target.tables.meta)
      for (name, value) in facts { try transaction.put(value, name, in: target.tables.meta) }
      try transaction.put(NewestRow(generation: newest).encoded(), NewestRow.name, in: target.tables.meta)
    }
    try files { () throws(StoreFileError) in try directory.synchronize() }
    return target
  }

  /// Opens the file of a generation that is being built.
  static func open(
    _ current: CurrentFile, in directory: Directory, _ locks: EnvironmentLocks
  ) throws(AnnalsError) -> PassTarget {
    try PassTarget(
      current, locks, environment(current, in: directory, locks, EnvironmentOptions(generation: .readWrite)))
  }

  private init(_ current: CurrentFile, _ locks: EnvironmentLocks, _ environment: Environment) {
    self.current = current
    self.locks = locks
    file = environment
    tables = StoreTables(environment)
  }

  /// Returns the durability of the file when it was left, for a pass that continues it.
  func safety(in directory: Directory) throws(AnnalsError) -> Safety {
    let bytes = try files { () throws(StoreFileError) in
      try directory.read(BuildMark.name(generation: current.generation), limit: BuildMark.limit)
    }
    do { return try BuildMark(bytes).isSynced ? .synced : .unsynced } catch { return .unsynced }
  }

  /// The file, open.
  var environment: Environment {
    guard let file else { preconditionFailure("a file that was closed to be checked is not used") }
    return file
  }

  /// Closes the file permanently.
  func close() { file = nil }

  /// Returns the generation for merging heads into it.
  ///
  /// - Parameter heads: The number of heads kept in memory in addition to those of the tail.
  func generation(
    in directory: Directory, heads: Int = PassTarget.heads
  ) throws(AnnalsError) -> Generation {
    let (meta, kinds) = try read { (reader) throws(AnnalsError) in (try reader.meta(), try reader.kinds()) }
    let file = StoreOpening.GenerationFile(current: current, environment: environment, lease: nil, meta: meta)
    return Generation(
      StoreOpening.Opened(file: file, kinds: kinds, arrived: meta.epoch, isStale: false, previous: nil),
      directory, heads: heads)
  }

  private static func environment(
    _ current: CurrentFile, in directory: Directory, _ locks: EnvironmentLocks, _ options: EnvironmentOptions
  ) throws(AnnalsError) -> Environment {
    try storage { () throws(EnvironmentError) in
      try Environment.open(
        current.fileName, in: directory, tables: StoreTables.definitions, locks: locks, options: options)
    }
  }

  /// Allows more entries in a generation that was ready.
  func reopen(for row: PassRow) throws(AnnalsError) {
    var meta = try read { (reader) throws(AnnalsError) in try reader.meta() }
    if meta.state == .building(pass: row.id) { return }
    meta.state = .building(pass: row.id)
    try write(.full) { (transaction) throws(AnnalsError) in
      try transaction.put(meta.value(of: .state), StoreMeta.Name.state.rawValue, in: tables.meta)
      try transaction.put(row.encoded(), PassRow.name, in: tables.meta)
      try transaction.remove(PredecessorRow.name, in: tables.meta)
    }
  }

  /// Runs one transaction.
  func write(
    _ durability: Durability, _ body: (inout WriteTransaction) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    try environment.write(durability: durability, failure: AnnalsError.init, body)
  }

  /// Calls `body` with a snapshot.
  func read<Result>(_ body: (StoreReader) throws(AnnalsError) -> Result) throws(AnnalsError) -> Result {
    try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try body(StoreReader(transaction.view, tables))
    }
  }

  /// Lets the system begin to write committed pages, so that the last wait for the disk is short.
  func startWriteback() throws(AnnalsError) {
    try storage { () throws(EnvironmentError) in try environment.startWriteback() }
  }

  /// Returns the number of rows that lead to the streams.
  func rowsOfHeads() throws(AnnalsError) -> Int {
    try read { (reader) throws(AnnalsError) in try reader.rowsOfHeads() }
  }

  /// Closes the file, checks each of its pages without LMDB, and opens it in the usual way.
  ///
  /// Nobody else writes to the file, so no lock is needed.
  ///
  /// - Parameter whenChecked: Is called before the file is opened again.
  func check(in directory: Directory, _ whenChecked: () -> Void) throws(AnnalsError) {
    file = nil
    try checkPages(in: directory)
    whenChecked()
    let environment = try Self.environment(
      current, in: directory, locks, EnvironmentOptions(generation: .readWrite))
    file = environment
    tables = StoreTables(environment)
  }

  private func checkPages(in directory: Directory) throws(AnnalsError) {
    let report = try files { () throws(StoreFileError) in
      try PageCheck.run(
        current.fileName, in: directory, tables: StoreTables.definitions, later: StoreTables.later,
        ignoring: StoreTables.reserved)
    }
    guard let first = report.findings.first else { return }
    throw AnnalsError(
      .verifyFailed,
      "the new generation has \(report.findingCount) damaged places, the first in \(first); the store is as it was",
      details: AnnalsError.Details { $0.file = current.fileName })
  }

  /// Records next to the file whether a power loss can damage it.
  static func mark(
    _ safety: Safety, _ current: CurrentFile, in directory: Directory, boot: String?
  ) throws(AnnalsError) {
    let mark = BuildMark(boot: boot ?? "", isSynced: safety == .synced)
    try files { () throws(StoreFileError) in
      try directory.replace(
        BuildMark.name(generation: current.generation), with: mark.encoded().span)
    }
  }
}
