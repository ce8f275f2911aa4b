public import AnnalsCoding
public import AnnalsSchema

/// Events as they are at one version of a plan, as lines of JSON in the form of ``EntryLines``, a page at a time.
///
/// The events come through what every read of a store goes through, with the stages up to that version. What a split made has a line for each part, with its path.
/// An entry that a rule has dropped, at a migration pass or just now, has no line: nothing of it is delivered.
///
/// A key of a payload that no version of the plan declares is left out, as every read of a store leaves it out;
/// ``undeclared`` says so.
///
/// Between two pages no snapshot is held, so that a slow reader of the lines keeps no pages from being used again.
public struct EventLines: Sendable {
  /// The least length of a page in bytes, but for the last one.
  private static let pageSize = 256 << 10

  private let cut: PlanCut
  private var reader: EntryReader
  private var writer = JSONWriter()
  private var failure: AnnalsError?
  /// The version that the lines are of.
  public var version: SchemaVersion { cut.version }
  /// How many entries have been read.
  public private(set) var count: UInt64 = 0
  private var tally = FieldTally()
  /// The fields that the lines given so far leave out, because no version of the plan declares them.
  ///
  /// The store has them still, and so do ``EntryLines``. Of more than a thousand fields the first thousand are
  /// here.
  public var undeclared: [UndeclaredField] { tally.undeclared }
  /// How many entries the log had when this was made.
  public var end: UInt64 { reader.end }

  /// The events of `log` as they are at `version` of `plan`, up to the newest one that the log has now.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - plan: The plan.
  ///   - version: The version; the current one where it is `nil`.
  /// - Throws: ``AnnalsError`` with code `wrongUse` where the plan does not have the version, `invalidPlan` for a plan that does not hold together, and what
  ///   an open by a program of that version would throw, such as `newerSchema` where there are newer events that it cannot read.
  /// - Complexity: O(kinds of records).
  public init<Plan: SchemaMigrationPlan>(
    _ log: EventLog, plan: Plan.Type, as version: SchemaVersion? = nil
  ) throws(AnnalsError) {
    let cuts = try log.cuts(of: plan, passingOverNewer: false, only: version ?? Plan.Current.version)
    guard let cut = cuts.last else {
      throw AnnalsError(.invalidPlan, "\(plan) has no versions: give its chain a schema")
    }
    self.cut = cut
    try cut.mustBeActivated(log)
    var reader = EntryReader(log.core, .log(from: nil))
    try log.read { (snapshot) throws(AnnalsError) in
      try cut.prove(snapshot)
      try reader.begin(in: snapshot)
    }
    self.reader = reader
  }

  /// The next lines; `nil` when there are none left.
  ///
  /// - Throws: ``AnnalsError`` as a read of the events would. The lines before such an entry are handed out first.
  /// - Complexity: O(bytes).
  public mutating func nextPage() throws(AnnalsError) -> [UInt8]? {
    if let failure { throw failure }
    do {
      try fill()
    } catch {
      guard !writer.bytes.isEmpty else { throw error }
      failure = error
    }
    guard !writer.bytes.isEmpty else { return nil }
    let page = writer.bytes
    writer = JSONWriter()
    return page
  }

  /// Reads until the page has lines or the log ends.
  ///
  /// As long as no line is written, each snapshot serves for no longer than a page of it would.
  private mutating func fill() throws(AnnalsError) {
    let limits = PageLimits(elements: Self.pageSize, bytes: .max)
    var reader = reader
    var end: PageEnd
    repeat {
      end = try reader.page { (cursor, snapshot) throws(AnnalsError) in
        let watch = try cut.undeclared(snapshot)
        return cursor.page(limits) { (entry, stream) throws(AnnalsError) in
          if try add(entry, of: stream, snapshot), !watch.isEmpty { try watch.add(entry, to: &tally) }
          count += 1
          return writer.bytes.count
        }
      }
      self.reader = reader
      if let error = end.failure { throw error }
    } while writer.bytes.isEmpty && !end.isLast
  }

  /// Writes the lines of one entry, all or none.
  ///
  /// - Returns: Whether it has any.
  private mutating func add(
    _ entry: borrowing LentEntry, of stream: StreamName, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> Bool {
    let parts = try cut.events(snapshot, entry, stream)
    guard !parts.isEmpty else { return false }
    let metadata = try EntryReading.metadata(of: entry)
    let end = writer.bytes.count
    do throws(AnnalsError) {
      for part in parts {
        try writer.entry(
          LogEntry(
            position: entry.position, stream: stream, revision: entry.revision, type: part.type,
            version: part.version, time: entry.time, id: entry.id, metadata: metadata,
            isEndOfCall: entry.header.flags.contains(.endOfCall),
            content: part.path.isEmpty ? .payload(part.payload) : .parts([part])))
      }
    } catch {
      writer.bytes.removeSubrange(end...)
      throw error
    }
    return true
  }
}
