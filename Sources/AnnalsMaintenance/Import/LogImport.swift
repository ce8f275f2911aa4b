internal import AnnalsAttachments
public import AnnalsCoding
public import AnnalsLog
internal import AnnalsVerify

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// An import at work: lines are read into batches, and a batch is stored while the next one is read.
struct LogImport {
  private let log: EventLog
  private let options: ImportOptions
  private let reader: EntryLineReader
  private var lines = LineReader()
  /// Whether the input has ended. A terminal could give more when it is read again.
  private var isEnded = false
  private var report: ImportReport
  /// The maximum number of ids that are kept in memory.
  private let idLimit: Int

  init(_ log: EventLog, _ options: ImportOptions, idLimit: Int = IDMemory.limit) {
    self.log = log
    self.options = options
    reader = EntryLineReader(options, maximumPayload: log.options.maximumPayload)
    report = ImportReport(lines: options.skip)
    self.idLimit = idLimit
  }

  /// Takes everything that `next` gives until it gives `nil`.
  nonisolated(nonsending) mutating func run(
    _ next: () throws(AnnalsError) -> [UInt8]?, _ progress: (ImportReport) -> Void
  ) async throws(AnnalsError) -> ImportReport {
    do {
      var known = KnownLines(log, limit: idLimit)
      var batch = try batch(next)
      while var rest = batch {
        let (count, sight) = try known.remove(from: &rest)
        report.repeated += count
        let storing = rest
        async let first = store(storing, since: sight)
        // A line that cannot be read is reported only when those before it are stored.
        let following = Result { () throws(AnnalsError) in try self.batch(next) }
        var outcome = await first
        // A pass has changed the streams since the look: only another look finds which lines are there.
        while case .failure(let error) = outcome, error.underlying is LogSight.Outdated {
          let (count, sight) = try known.remove(from: &rest)
          report.repeated += count
          outcome = await store(rest, since: sight)
        }
        report.take(try outcome.get(), of: rest)
        progress(report)
        batch = try following.get()
      }
    } catch {
      throw error.afterStoring(lines: report.lines)
    }
    guard lines.number >= options.skip else {
      throw AnnalsError(
        .wrongUse,
        "the input ends after line \(lines.number), and \(options.skip) lines are to be skipped (ImportOptions.skip, --skip); nothing was stored: skip at most the lines that there are"
      )
    }
    report.lines = lines.number
    return report
  }

  /// The next lines of the input, `nil` at its end.
  private mutating func batch(
    _ next: () throws(AnnalsError) -> [UInt8]?
  ) throws(AnnalsError) -> ImportBatch? {
    var batch = ImportBatch()
    while !batch.isFull {
      if let line = try line() {
        guard lines.number > options.skip else { continue }
        if let line = try reader.line(line.span, number: lines.number) {
          batch.add(line, number: lines.number)
        } else {
          report.stubs += 1
        }
      } else if isEnded {
        break
      } else if let chunk = try next() {
        lines.feed(chunk.span)
      } else {
        lines.end()
        isEnded = true
      }
    }
    return batch.count == 0 ? nil : batch
  }

  private mutating func line() throws(AnnalsError) -> ArraySlice<UInt8>? {
    do { return try lines.next() } catch { throw AnnalsError(error) }
  }

  /// Stores a batch.
  private func store(
    _ batch: ImportBatch, since sight: LogSight
  ) async -> Result<Appended, AnnalsError> {
    do throws(AnnalsError) {
      if let directory = options.attachments { try attach(batch.attachments, from: directory) }
      return .success(try await log.append(batch.request(time: .now, since: sight)))
    } catch {
      return .failure(error.inLines(batch.firstLine...batch.lastLine))
    }
  }
}

extension LogImport {
  /// Attaches contents that the store does not have yet, and those whose files are damaged.
  private func attach(_ hashes: Set<ContentHash>, from directory: URL) throws(AnnalsError) {
    let known = try BlobDirectory.open(in: log.core.generation.directory)
    let place = try directory.exactPath()
    for hash in hashes.sorted() {
      if let known, try known.renew(hash, size: nil) { continue }
      let file = try URL(exactPath: place + "/\(hash)".utf8)
      let attached = try log.attach(contentsOf: file)
      guard attached.hash == hash else {
        throw AnnalsError(
          .damaged,
          "the file '\(file.path)' does not have the content that its name says; nothing was stored",
          details: AnnalsError.Details { $0.file = file.path })
      }
    }
  }
}

extension ImportReport {
  /// Adds what became of a batch.
  fileprivate mutating func take(_ appended: Appended, of batch: ImportBatch) {
    lines = batch.lastLine
    let new = appended.wasRepeated ? 0 : appended.positions.count
    stored += UInt64(new)
    // What others have stored since the look was found inside the transaction.
    repeated += UInt64(batch.count - new)
  }
}

extension AnnalsError {
  /// The same error, said of some lines of an input.
  fileprivate func inLines(_ lines: ClosedRange<Int>) -> AnnalsError {
    var details = details
    details.line = lines.lowerBound
    return AnnalsError(
      code, "lines \(lines.lowerBound) to \(lines.upperBound): \(message)", details: details,
      underlying: underlying)
  }

  /// The same error, said of one line of an input.
  func inLine(_ line: Int) -> AnnalsError {
    var details = details
    details.line = line
    return AnnalsError(code, "line \(line): \(message)", details: details, underlying: underlying)
  }

  /// The same error, which also says how many lines of the input are done with.
  func afterStoring(lines: Int) -> AnnalsError {
    var details = details
    details.linesStored = lines
    let kept =
      switch (code, lines) {
      case (.outcomeUnknown, 0):
        "the lines of the first batch may be stored or not: check before you import them again"
      case (.outcomeUnknown, _):
        "the lines up to \(lines) are done, and those of the batch after them may be: check before you continue with --skip \(lines)"
      case (_, 0): "no line was stored"
      default: "the lines up to \(lines) are done: go on with --skip \(lines)"
      }
    return AnnalsError(
      code, "\(message); \(kept)", details: details, underlying: underlying)
  }
}

extension EventLog {
  /// Stores lines of JSON, one entry a line, in batches of whole lines.
  ///
  /// A batch is one append call of at most 4,000 lines and about 4 MiB, stored whole or not at all. The
  /// import stops at the first line that is not an entry. The batches before it are stored, but the earlier
  /// lines of its own batch are not.
  ///
  /// The error has the number of that line in `details.line`, and the number of stored lines in
  /// `details.linesStored`. Set ``ImportOptions/skip`` to the latter to continue. With code `outcomeUnknown`,
  /// the batch after them may be stored too: continuing there without checking may store its lines twice,
  /// except those with ids. A line of more than 128 MiB is refused.
  ///
  /// A line needs `stream`, `type` and `data`, an object. `version`, `time`, `id`, `metadata`, `attachments`
  /// and `tags` may be absent or null. An entry without a time takes that of its append call. Other members,
  /// `position` and `revision` among them, are ignored, but a line with `stub` or `path` is refused.
  ///
  /// A line whose id is already in its stream is not stored again. This holds regardless of the order of the
  /// lines and the number of imports at the same time. A line without an id counts as known only if it
  /// follows a known line and equals the entry that follows.
  ///
  /// After a pass that moved streams, a line with an id is refused with `streamMoved` if entries of its
  /// stream have moved and the id is not in the stream, or if the id is among entries that the pass merged
  /// from several streams.
  ///
  /// - Parameters:
  ///   - options: The keys of the fields in the lines, and the line to begin at.
  ///   - next: Returns the next bytes of the input, in any number, and `nil` at its end.
  ///   - progress: Called after every batch with the progress of the import.
  /// - Returns: The number of lines, and their outcomes.
  /// - Throws: Any error that `next` throws, and ``AnnalsError`` with code `malformed`, `invalidName`,
  ///   `streamMoved` or `tooLarge` for a line, also if the ids of too many entries would have to be kept in
  ///   memory; `wrongUse` if the input has fewer lines than are skipped; or as ``append(_:to:expecting:)``.
  /// - Complexity: O(bytes of the input), with one flush to disk for each batch. It needs memory for two
  ///   batches, and for the names of the streams met if lines have ids and the log was not empty. In a store
  ///   with a window of ids, each stream with a line out of order is read once, and its ids take 21 to 43
  ///   bytes each.
  @discardableResult
  nonisolated(nonsending) public func importLines(
    _ options: ImportOptions = ImportOptions(), from next: () throws(AnnalsError) -> [UInt8]?,
    progress: (ImportReport) -> Void = { _ in }
  ) async throws(AnnalsError) -> ImportReport {
    var work = LogImport(self, options)
    return try await work.run(next, progress)
  }
}
