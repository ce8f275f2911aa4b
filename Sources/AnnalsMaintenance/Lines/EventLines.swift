public import AnnalsCoding
public import AnnalsFormat
public import AnnalsLog
public import AnnalsSchema
internal import AnnalsStore

/// Events at one version of a plan, as lines of JSON in the form of ``EntryLines``, a page at a time.
///
/// The events are upcast as in every read of a store, with the stages up to that version. A split entry has a
/// line for each part, with its path. An entry that a rule drops, in a migration pass or in this read, has no
/// line: nothing of it is delivered.
///
/// A key of a payload that its version does not declare is left out, as in every read of a store.
/// ``undeclared`` lists such keys.
///
/// No snapshot is open between two pages, so a slow reader of the lines keeps no pages from being reused.
public struct EventLines: Sendable {
  /// The minimum length of a page in bytes, except for the last one.
  private static let pageSize = 256 << 10

  private let cut: PlanCut
  private var reader: EntryReader
  private var writer = JSONWriter()
  private var failure: AnnalsError?
  private let query: LogQuery?
  /// The version that the lines are of.
  public var version: SchemaVersion { cut.version }
  /// The number of entries that have been read.
  public private(set) var count: UInt64 = 0
  /// The lines that are too long for an import.
  package private(set) var tooLong = LongLines()
  private var tally = FieldTally()
  /// The undeclared fields that the lines so far leave out.
  ///
  /// The store still has them, and so do ``EntryLines``. Only the first thousand fields are listed.
  public var undeclared: [UndeclaredField] { tally.undeclared }
  /// The number of entries that the log had when this value was created.
  public var end: UInt64 { reader.end }

  /// Creates the lines of the events of `log` at `version` of `plan`, up to the newest one that the log has
  /// now.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - plan: The plan.
  ///   - version: The version; `nil` for the current one.
  ///   - query: The record types, by their names at that version, and the tags of the events; `nil` for all
  ///     events.
  ///   - after: The position that reading begins after; `nil` for the log's first event.
  ///   - last: The last position to read; `nil` for the newest one.
  /// - Throws: ``AnnalsError`` with code `wrongUse` if the plan does not have the version, `invalidPlan` for
  ///   an inconsistent plan, and the errors of an open by a program of that version, such as `newerSchema`
  ///   for newer events that it cannot read. `invalidName` for a tag that no event can have.
  /// - Complexity: O(kinds of records).
  public init<Plan: SchemaMigrationPlan>(
    _ log: EventLog, plan: Plan.Type, as version: SchemaVersion? = nil, matching query: LogQuery? = nil,
    after: Position? = nil, through last: Position? = nil
  ) throws(AnnalsError) {
    let cuts = try log.cuts(of: plan, passingOverNewer: false, only: version ?? Plan.Current.version)
    guard let cut = cuts.last else {
      throw AnnalsError(.invalidPlan, "\(plan) has no versions: give its chain a schema")
    }
    self.cut = cut
    try cut.mustBeActivated(log)
    self.query = query
    // The types are compared after upcasting.
    let tags = query.map { LogQuery($0.items.map { LogQuery.Item(tags: $0.tags) }) }
    let source = EntrySource(after: after, from: nil, through: last, streamPrefix: nil, backwards: false)
    var reader = EntryReader(log.core, source, matching: tags?.source)
    try log.read { (snapshot) throws(AnnalsError) in
      try cut.prove(snapshot)
      try reader.begin(in: snapshot)
    }
    self.reader = reader
  }

  /// Returns the next lines; `nil` at the end.
  ///
  /// - Throws: ``AnnalsError`` as a read of the events would. The lines before such an entry are delivered
  ///   first.
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
  /// While no line is written, each snapshot lasts no longer than a page of it would.
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
    let tags = try entry.tags
    // A fold refers to the attachments of other entries, too.
    let notes = AttachmentNotes()
    var parts = try AttachmentNotes.$current.withValue(notes) {
      Result { () throws(AnnalsError) in try cut.events(snapshot, entry, stream) }
    }.get()
    if let query { parts.removeAll { !query.includes($0.type, tags) } }
    guard !parts.isEmpty else { return false }
    let metadata = try EntryReading.metadata(of: entry)
    let attachments = Set(try EntryReading.attachments(of: entry)).union(notes.hashes).sorted()
    let end = writer.bytes.count
    do throws(AnnalsError) {
      for part in parts {
        let start = writer.bytes.count
        let event = LogEntry(
          position: entry.position, stream: stream, revision: entry.revision, type: part.type,
          version: part.version, time: entry.time, id: entry.id, metadata: metadata,
          isEndOfCall: entry.header.flags.contains(.endOfCall),
          content: part.path.isEmpty ? .payload(part.payload) : .parts([part]), attachments: attachments,
          tags: tags)
        try writer.entry(event)
        tooLong.add(writer.bytes.count - start, of: event)
      }
    } catch {
      writer.bytes.removeSubrange(end...)
      throw error
    }
    return true
  }
}

extension LogQuery {
  /// Whether an event of the record type called `type`, with these tags, matches.
  fileprivate func includes(_ type: String, _ tags: [EventTag]) -> Bool {
    items.contains { item in
      (item.types.isEmpty || item.types.contains { ExactText($0) == ExactText(type) })
        && item.tags.isSubset(of: tags)
    }
  }
}
