import Foundation
import LMDB

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// A store whose entries were rewritten from another one: what a migration pass leaves, without its phases.
struct RewrittenStore {
  /// How a rewrite is done.
  struct Way {
    var isQuarantining = false
    var threads = 1
    var runEntries = 1_024
    var runBytes = 1 << 20
    /// After how many runs a transaction ends.
    var runsPerCommit = 2
    /// The last position that is upcast; later entries stay unchanged.
    var end = UInt64.max
  }

  let place: TemporaryStore
  /// What the entries deliver in the other store, as it was noted when they were rewritten.
  private(set) var delivered = EventDigest()
  var url: URL { place.url }

  /// Rewrites the store at `source` through a plan.
  init<Plan: SchemaMigrationPlan>(_ source: URL, _ plan: Plan.Type, _ way: Way = Way()) throws {
    let store = try EventStore(at: source, plan: plan)
    try self.init(store.log, store.reach, way)
  }

  /// Copies the store at `source`.
  init(copying source: URL, _ way: Way = Way()) throws {
    try self.init(EventLog(at: source), nil, way)
  }

  private init(_ log: EventLog, _ reach: PlanResolver?, _ way: Way) throws {
    place = try TemporaryStore()
    let environment = try Self.environment(at: place.url, log.id)
    let tables = StoreTables(environment)
    let source = RewriteSource(log.core.generation.environment, log: log.id)
    try Self.copyHeads(from: source, to: environment, tables)
    let kinds = try log.read { (snapshot) throws in try GenerationKinds(snapshot.kinds, reach: reach) }
    let writer = GenerationWriter(tables: tables, kinds: kinds, isIndexed: false)
    var rewriting =
      reach.map {
        Rewriting.upcasting(
          source, kinds, $0.plan, FailingGroups(source, PlanResolver($0.plan)),
          isQuarantining: way.isQuarantining)
      }
      ?? .copying(source, kinds)
    if way.end < .max {
      let whole = rewriting
      rewriting = Rewriting(source: source) { PrefixRewriter(whole.makeRewriter(), end: way.end) }
    }
    rewriting.runEntries = way.runEntries
    rewriting.runBytes = way.runBytes
    let last = try log.read { (snapshot) throws in try snapshot.head()?.rawValue ?? 0 }
    var delivered = EventDigest()
    if last > 0 {
      var runs: [RewrittenRun] = []
      func put() throws(AnnalsError) {
        try environment.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
          for run in runs { try writer.put(run, in: &transaction) }
        }
        runs = []
      }
      try rewriting.run(1...last, threads: way.threads) { (run) throws(AnnalsError) in
        runs.append(run)
        delivered.add(run.delivered.whole)
        if runs.count >= way.runsPerCommit { try put() }
        return true
      }
      try put()
    }
    self.delivered = delivered
    try environment.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try writer.putActivatedSchemas(in: &transaction)
    }
  }

  /// The empty environment of a store, and the file that leads to it.
  private static func environment(at url: URL, _ log: UUID) throws -> Environment {
    let path = url.path as String
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let directory = try Directory.open(path: path)
    let current = CurrentFile(log: log, generation: 1)
    let locks = EnvironmentLocks(
      open: try FileLock("open.lock", in: directory), queue: try FileLock("queue.lock", in: directory),
      write: try FileLock("write.lock", in: directory))
    _ = try FileLock(current.leaseName, in: directory)
    let environment = try Environment.open(
      current.fileName, in: directory, tables: StoreTables.definitions, locks: locks,
      options: EnvironmentOptions(generation: .readWrite, create: true))
    try environment.createJournal(StoreTables.journal)
    try directory.replace(CurrentFile.name, with: current.encoded().span)
    return environment
  }

  /// Copies the tables that a pass copies as they are.
  private static func copyHeads(
    from source: RewriteSource, to environment: Environment, _ tables: StoreTables
  ) throws {
    let transaction = try source.environment.beginRead()
    try environment.write { (target) throws(EnvironmentError) in
      var heads = try transaction.integerCursor(in: source.tables.heads)
      while let row = try heads.next() { try target.put(row.value, forKey: row.key, in: tables.heads) }
      for (from, to) in [(source.tables.streams, tables.streams), (source.tables.meta, tables.meta)] {
        var rows = try transaction.cursor(in: from)
        while let row = try rows.next() { try target.put(row.value, forKey: row.key, in: to) }
      }
    }
  }

  /// All entries as they are stored.
  func entries() throws -> [[UInt8]] {
    try RewrittenStore.entries(of: EventLog(at: url))
  }

  /// All entries of a log as they are stored.
  static func entries(of log: EventLog) throws -> [[UInt8]] {
    try log.read { (snapshot) throws(AnnalsError) in
      var scan = try snapshot.scan()
      var entries: [[UInt8]] = []
      while let entry = try scan.next() { entries.append(entry.bytes.copied) }
      return entries
    }
  }

  /// Every row of every table but `meta`, with the table's name.
  func rows() throws -> [String] {
    try RewrittenStore.rows(of: EventLog(at: url))
  }

  /// Every row of a log's tables but `meta`, with the table's name.
  static func rows(of log: EventLog) throws -> [String] {
    let tables = log.core.generation.tables
    return try log.core.generation.environment.read(failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      var rows: [String] = []
      let reader = StoreReader(transaction.view, tables)
      for table in [tables.entries, tables.heads, tables.schemas, tables.kinds, tables.census] {
        var cursor = try reader.cursor(in: table)
        while let row = try cursor.nextRow() {
          rows.append("\(table.definition.name) \(row.key) \(row.value.copied)")
        }
      }
      var streams = try reader.streamsCursor()
      while let row = try streams.nextRow() {
        rows.append("streams \(row.key.copied) \(row.value.copied)")
      }
      return rows
    }
  }
}

/// Rewrites entries up to a position and leaves later ones unchanged, like a pass that has come this far.
private final class PrefixRewriter: EntryRewriter {
  private let rewriter: any EntryRewriter
  private let end: UInt64

  init(_ rewriter: any EntryRewriter, end: UInt64) {
    self.rewriter = rewriter
    self.end = end
  }

  func enter(_ kinds: KindRegistry) throws(AnnalsError) {
    try rewriter.enter(kinds)
  }

  func expect(_ stream: Position) { rewriter.expect(stream) }

  func rewrite(
    _ entry: borrowing LentEntry, _ reader: StoreReader, into run: inout RewrittenRun
  ) throws(AnnalsError) {
    if entry.position.rawValue <= end { return try rewriter.rewrite(entry, reader, into: &run) }
    // Kinds of the older generation keep their numbers. Only payloads are appended to a log without a pass.
    run.tally.add(entry.kind, bytes: entry.header.body.count, at: run.count)
    run.add(
      EntryCopy(entry.bytes, entry.header, kind: entry.kind, form: .payload, body: entry.body))
  }
}
