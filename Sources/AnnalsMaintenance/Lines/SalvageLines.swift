public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Every entry of a log as it is stored, as lines of JSON that continue after damage.
///
/// A sound entry has the line of ``EntrySelection/isRaw``. An entry that cannot be read has its position, the
/// problem and its stored bytes; a range of positions without entries has its first and last position, and
/// the damaged page that had them. Keep these lines before a repair, or before a store is moved aside: they
/// hold all that the log's file still has of each entry.
///
/// The entries are read without LMDB, which would trust a damaged page. Reading ends at the newest entry that
/// the log had when it began. Each page of lines has a snapshot of its own.
///
/// If a table that describes the store is damaged, the first line has the problem and nothing else.
public struct SalvageLines: Sendable {
  private static let pageSize = 256 << 10
  /// The tables that are read with LMDB, without the first damaged ones, and what it costs to do without.
  private static let scopes: [(tables: [String], cost: String)] = [
    (["meta", "schemas", "kinds", "journal"], ""),
    (["meta", "schemas", "kinds"], "the newest commit may be missing"),
    (["meta"], "the newest commit may be missing, and entries whose type is lost have no type here"),
    ([], "the newest commit may be missing, and later entries where CURRENT is out of date"),
  ]

  private let store: StoreOpening.Opened
  private let directory: Directory
  private var next: UInt64 = 1
  private var writer = JSONWriter()
  /// The position of the newest entry.
  public let end: UInt64
  /// The number of positions that have been read.
  public var count: UInt64 { min(next, end &+ 1) - 1 }
  /// The number of positions without a readable entry.
  public private(set) var damaged: UInt64 = 0
  /// The problem of the tables that describe the store, and what may be missing; `nil` if they are sound.
  public let problem: String?
  /// Whether the table `meta` is sound.
  private let hasMeta: Bool

  /// Creates the lines of all entries of the store at `url`, which is opened for reading only.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` if the pages of the file do not lead to its tables, and
  ///   otherwise as ``EventLog/inspect(_:)``.
  public init(storeAt url: URL) throws(AnnalsError) {
    let directory = try StorePlace(url).open(StoreOptions(access: .readOnly, creation: .never))
    var (store, tables, problem) = try Self.open(directory)
    let name = store.file.current.fileName
    (end, store.kinds) = try store.file.environment.read(failure: AnnalsError.init) {
      (_) throws(AnnalsError) in
      try files { () throws(StoreFileError) in
        let kinds = tables.contains("kinds") ? store.kinds : try KindRegistry(intactIn: name, directory)
        // Positions have no gaps, so the number of rows is the last position.
        let rows = try IntactRows(StoreTables.entries, of: name, in: directory).count
        return (min(rows, FormatRange.maximum), kinds)
      }
    }
    (self.directory, self.store, self.problem) = (directory, store, problem)
    hasMeta = tables.contains("meta")
    if let problem { writer.problem(problem) }
  }

  /// Opens the store with LMDB reading as many of the tables that describe it as are sound.
  private static func open(
    _ directory: Directory
  ) throws(AnnalsError) -> (store: StoreOpening.Opened, tables: [String], problem: String?) {
    var options = StoreOptions(access: .readOnly, creation: .never, trust: .nobody)
    var (step, problem) = (0, String?.none)
    while true {
      let (tables, cost) = scopes[step]
      options.scope = tables
      do throws(AnnalsError) {
        let store = try StoreOpening(directory: directory, options: options).run()
        return (store, tables, problem.map { "\($0); \(cost)" })
      } catch  where (error.code == .damaged || error.code == .incomplete) && step + 1 < scopes.count {
        problem = problem ?? error.message
        step += 1
      }
    }
  }

  /// Returns the next lines, each with its end; `nil` after the last.
  ///
  /// - Throws: ``AnnalsError`` with code `tooManyReaders` or `inputOutput`, and `damaged` if the pages of the
  ///   file do not lead to the table of entries.
  public mutating func nextPage() throws(AnnalsError) -> [UInt8]? {
    guard next <= end || !writer.bytes.isEmpty else { return nil }
    let (before, environment) = (self, store.file.environment)
    // The snapshot keeps writers from using its pages again.
    self = try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      var lines = before
      try lines.fill(StoreReader(transaction.view, StoreTables(environment)))
      return lines
    }
    let page = writer.bytes
    writer = JSONWriter()
    return page
  }

  private mutating func fill(_ reader: StoreReader) throws(AnnalsError) {
    let (directory, name) = (directory, store.file.current.fileName)
    var rows = try files { () throws(StoreFileError) in
      try IntactRows(StoreTables.entries, of: name, in: directory)
    }
    while writer.bytes.count < Self.pageSize, next <= end {
      switch rows.next(from: next) {
      case .row(let position, let bytes):
        miss(through: position - 1)
        guard next <= end else { return }
        write(Position(next), bytes, reader, &rows)
        next += 1
      case .damage(let last, let problem): miss(through: last, problem)
      case .end: miss(through: end)
      }
    }
  }

  /// Writes that the positions up to `last` have no entries.
  private mutating func miss(through last: UInt64, _ problem: String = "the entry is missing") {
    let last = min(last, end)
    guard next <= last else { return }
    writer.missing(from: next, through: last, problem)
    damaged += last - next + 1
    next = last + 1
  }

  private mutating func write(
    _ position: Position, _ bytes: [UInt8], _ reader: StoreReader, _ rows: inout IntactRows
  ) {
    let header: EntryHeader
    do throws(FormatFailure) { header = try EntryHeader(bytes.span, at: position) } catch {
      writer.unreadable(position, error.description, bytes.span)
      damaged += 1
      return
    }
    let start = writer.bytes.count
    do throws(AnnalsError) {
      guard hasMeta || !header.flags.contains(.stub) else {
        throw AnnalsError(.damaged, "it is a stub, and whether the name of its stream was erased is lost")
      }
      let first = header.stream == position ? bytes : rows.value(forKey: header.stream.rawValue)
      guard let first else { throw AnnalsError(missing: header.stream) }
      let firstHeader = try reader.header(first.span, at: header.stream)
      let name = try reader.name(in: first.span, firstHeader, at: header.stream)
      try writer.rawEntry(at: position, bytes.span, header, named: name, reader, store.kinds)
    } catch {
      // The header is sound: its stream, its kind or its body is not.
      writer.bytes.removeSubrange(start...)
      writer.unreadable(position, error.message, bytes.span)
      damaged += 1
    }
  }
}
