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
public struct SalvageLines: Sendable {
  private static let pageSize = 256 << 10

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

  /// The lines of all entries of the store at `url`, which is opened for reading only.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` if the pages or rows of `meta`, `schemas`, `kinds` or
  ///   `census` are, and otherwise as ``EventLog/inspect(_:)``.
  public init(storeAt url: URL) throws(AnnalsError) {
    var options = StoreOptions(access: .readOnly, creation: .never, trust: .nobody)
    options.scope = StoreTables.small
    directory = try StorePlace(url).open(options)
    store = try StoreOpening(directory: directory, options: options).run()
    let (directory, name) = (directory, store.file.current.fileName)
    end = try store.file.environment.read(failure: AnnalsError.init) { (_) throws(AnnalsError) in
      try files { () throws(StoreFileError) in
        // Positions have no gaps, so the number of rows is the last position.
        min(try IntactRows(StoreTables.entries, of: name, in: directory).count, FormatRange.maximum)
      }
    }
  }

  /// The next lines, each with its end; `nil` after the last.
  ///
  /// - Throws: ``AnnalsError`` with code `tooManyReaders` or `inputOutput`, and `damaged` if the pages of the
  ///   file do not lead to the table of entries.
  public mutating func nextPage() throws(AnnalsError) -> [UInt8]? {
    guard next <= end else { return nil }
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
