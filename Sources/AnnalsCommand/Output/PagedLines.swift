import Annals

/// Lines of JSON that are read from a log a page at a time.
protocol PagedLines {
  /// The number of entries read.
  var count: UInt64 { get }
  /// The number of entries in the log.
  var end: UInt64 { get }

  /// Returns the next lines, each with its end; `nil` after the last.
  mutating func nextPage() throws(AnnalsError) -> [UInt8]?
}

extension EntryLines: PagedLines {}
extension EventLines: PagedLines {}
extension SalvageLines: PagedLines {}

extension ByteOutput {
  /// Writes all lines, and shows the number of entries read.
  mutating func write(_ lines: inout some PagedLines, _ progress: inout ProgressLine) throws {
    while let page = try lines.nextPage() {
      try write(page)
      progress.update("\(lines.count) of \(lines.end) entries")
    }
  }
}
