public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
internal import LMDB

/// Every entry of a log as it is stored, as lines of JSON that continue after damage.
///
/// A sound entry has the line of ``EntrySelection/isRaw``. An entry that cannot be read has its position, the
/// problem and its stored bytes; a range of positions without entries has its first and last position. Keep
/// these lines before a repair, or before a store is moved aside: they hold all that the log's file still has
/// of each entry.
///
/// Reading ends at the newest entry that the log had when it began. Each page has a snapshot of its own.
public struct SalvageLines: Sendable {
  private static let pageSize = 256 << 10

  private let log: EventLog
  private var next: UInt64 = 1
  private var writer = JSONWriter()
  /// The position of the newest entry.
  public let end: UInt64
  /// The number of positions that have been read.
  public var count: UInt64 { min(next, end &+ 1) - 1 }
  /// The number of positions without a readable entry.
  public private(set) var damaged: UInt64 = 0

  /// The lines of all entries of `log`.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` if the rows of `meta`, `schemas` or `kinds` cannot be
  ///   read; `tooManyReaders` or `inputOutput`.
  public init(_ log: EventLog) throws(AnnalsError) {
    self.log = log
    end = try log.read { (snapshot) throws(AnnalsError) in try snapshot.head()?.rawValue ?? 0 }
  }

  /// The next lines, each with its end; `nil` after the last.
  ///
  /// - Throws: ``AnnalsError`` with code `tooManyReaders` or `inputOutput`, and `damaged` if the pages of the
  ///   file lead nowhere.
  public mutating func nextPage() throws(AnnalsError) -> [UInt8]? {
    guard next <= end else { return nil }
    let snapshot = try LogSnapshot(log.core)
    var cursor = try snapshot.reader.entriesCursor()
    var row: IntegerRow?
    do { row = try cursor.seek(next) } catch { throw AnnalsError(error) }
    while writer.bytes.count < Self.pageSize, next <= end {
      let found = min(row?.key ?? .max, end &+ 1)
      if next < found {
        writer.missing(from: next, through: found - 1)
        damaged += found - next
        next = found
        continue
      }
      guard let bytes = row?.value else { break }
      write(Position(next), bytes, snapshot.reader, snapshot.kinds)
      next += 1
      row = try cursor.nextRow()
    }
    let page = writer.bytes
    writer = JSONWriter()
    return page
  }

  private mutating func write(
    _ position: Position, _ bytes: Span<UInt8>, _ reader: StoreReader, _ kinds: KindRegistry
  ) {
    let start = writer.bytes.count
    do throws(FormatFailure) { _ = try EntryHeader(bytes, at: position) } catch {
      writer.unreadable(position, error.description, bytes)
      damaged += 1
      return
    }
    do throws(AnnalsError) {
      try writer.rawEntry(at: position, reader, kinds)
    } catch {
      // The header is sound: its stream, its kind or its body is not.
      writer.bytes.removeSubrange(start...)
      writer.unreadable(position, error.message, bytes)
      damaged += 1
    }
  }
}
