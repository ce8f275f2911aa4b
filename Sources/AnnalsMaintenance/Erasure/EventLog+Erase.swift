public import AnnalsCoding
public import AnnalsFormat
public import AnnalsLog
public import AnnalsSchema
public import AnnalsStore

// Erasing what a law or a person wants to be gone.
extension EventLog {
  /// Erases all events that `stream` has now.
  ///
  /// The payload, metadata and id of each event are gone for every read that begins after the return, in
  /// every process: of the log, the stream, subscriptions, projections, aggregates, dumps and `--raw`.
  /// Positions, revisions and expectations do not change. Typed reads pass over erased events, raw reads
  /// return a stub with the reason. Views that may have folded the events are built again; until then their
  /// reads fail with `busy`.
  ///
  /// The bytes leave the files once the next `compact` or migration pass has run and the generations before
  /// it are removed. ``erasures()`` lists the places where they remain.
  ///
  /// - Parameters:
  ///   - stream: A stream with at least one event. From now on its name is in no listing, and it leaves the
  ///     log with the next pass, unless an event is appended to the stream first. In a cluster it stays.
  ///   - author: The person who asked; recorded in the log.
  ///   - reason: Why; recorded in the log.
  /// - Throws: ``AnnalsError`` with code `noSuchStream`, `invalidName` for the stream of the log's own
  ///   entries, `wrongUse` without an author or a reason, `needsPlan` if the store has inline projections,
  ///   `busy` while a migration pass runs, and the errors of `append`. After an error, entries of earlier
  ///   commits stay erased; the call can be repeated.
  /// - Complexity: O(events), with a durable commit for every few thousand, and the time to build views
  ///   again. In a store that recognises ids forever, and where a stream may have an id twice, an erasure by
  ///   position reads the older entries of the stream with each commit.
  @discardableResult
  public func erase(
    stream: StreamName, by author: String, because reason: String
  ) throws(AnnalsError) -> ErasureReport {
    try Erasing(self, author: author, reason: reason).run(stream: stream)
  }

  /// Erases the events at `positions`. See ``erase(stream:by:because:)``.
  ///
  /// Entries without an event stay as they are: erased ones, and those that record changes of the log itself.
  ///
  /// - Throws: As ``erase(stream:by:because:)``, and `wrongUse` for a position without an entry, or for the
  ///   last entry of a group that a fold combines into one event, if others of the group stay.
  @discardableResult
  public func erase(
    _ positions: [Position], by author: String, because reason: String
  ) throws(AnnalsError) -> ErasureReport {
    try Erasing(self, author: author, reason: reason).run { (_) throws(AnnalsError) in positions }
  }

  /// Erases the events for which `isMeant` returns `true`. See ``erase(stream:by:because:)``.
  ///
  /// - Parameter isMeant: Receives each entry that has an event, in order.
  /// - Throws: As ``erase(stream:by:because:)``.
  /// - Complexity: O(log).
  @discardableResult
  public func erase(
    by author: String, because reason: String, where isMeant: (LogEntry) -> Bool
  ) throws(AnnalsError) -> ErasureReport {
    try Erasing(self, author: author, reason: reason).run { (log) throws(AnnalsError) in
      try log.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        var found: [Position] = []
        while let entry = try entries.next() {
          if case .stub = entry.content { continue }
          if isMeant(entry) { found.append(entry.position) }
        }
        return found
      }
    }
  }

  /// Erases the events that match `query`. See ``erase(stream:by:because:)``.
  ///
  /// - Parameter query: The record types, as they are stored, and the tags of the events.
  /// - Throws: As ``erase(stream:by:because:)``, and `invalidName` for a tag that no event can have.
  /// - Complexity: O(matching events) if each item of the query has a tag, O(log) otherwise.
  @discardableResult
  public func erase(
    matching query: LogQuery, by author: String, because reason: String
  ) throws(AnnalsError) -> ErasureReport {
    try Erasing(self, author: author, reason: reason).run { (log) throws(AnnalsError) in
      try log.positions(matching: query)
    }
  }

  /// The positions of the entries that match a query.
  func positions(matching query: LogQuery) throws(AnnalsError) -> [Position] {
    try read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(matching: query)
      var found: [Position] = []
      while let entry = try entries.next() { found.append(entry.position) }
      return found
    }
  }

  /// The positions of all entries of a stream, also of hidden ones, and its head.
  func positions(of stream: StreamName) throws(AnnalsError) -> (positions: [Position], head: Head) {
    try read { (snapshot) throws(AnnalsError) in
      guard let head = try snapshot.head(of: stream) else { throw AnnalsError(noSuchStream: stream) }
      var cursor = try EntryCursor(
        snapshot.reader, EntrySteps(in: stream, head, oldest: 0, from: nil))
      var found: [Position] = []
      while let entry = try cursor.next() { found.append(entry.position) }
      return (found, head)
    }
  }
}

extension EventStore {
  /// Erases all events that `stream` has now, and folds inline projections again. See
  /// ``EventLog/erase(stream:by:because:)``.
  ///
  /// - Throws: As ``EventLog/erase(stream:by:because:)``; `superseded` once a version that the plan lacks is
  ///   activated; and `rejected` or `ruleFailed` with a position if an inline projection does not accept an
  ///   event that is left. The events are erased then, and appends fail until a higher version of the
  ///   projection that accepts it is activated.
  @discardableResult
  public func erase(
    stream: StreamName, by author: String, because reason: String
  ) throws(AnnalsError) -> ErasureReport {
    try beginning?.run()
    return try erasing(author, reason).run(stream: stream, plan: Plan.Current.version)
  }

  /// Erases the events at `positions`, and folds inline projections again. See
  /// ``EventLog/erase(stream:by:because:)``.
  @discardableResult
  public func erase(
    _ positions: [Position], by author: String, because reason: String
  ) throws(AnnalsError) -> ErasureReport {
    try erasing(author, reason).run { (_) throws(AnnalsError) in positions }
  }

  /// Erases the entries with an event for which `isMeant` returns `true`, and folds inline projections again.
  /// See ``EventLog/erase(stream:by:because:)``.
  ///
  /// - Parameter isMeant: Receives each event in the plan's current version, in order. An entry that was
  ///   split is erased with all of its events.
  /// - Throws: As ``EventLog/erase(stream:by:because:)``, and the errors of reading the events.
  /// - Complexity: O(log).
  @discardableResult
  public func erase(
    by author: String, because reason: String, where isMeant: (Entry<Event>) -> Bool
  ) throws(AnnalsError) -> ErasureReport {
    try erasing(author, reason).run { (_) throws(AnnalsError) in
      try read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        var found: [Position] = []
        while let entry = try entries.next() {
          if found.last != entry.position, isMeant(entry) { found.append(entry.position) }
        }
        return found
      }
    }
  }

  /// Erases the events that match `query`, and folds inline projections again. See
  /// ``EventLog/erase(stream:by:because:)``.
  ///
  /// - Parameter query: The types, in the plan's current version, and the tags of the events. An entry that
  ///   was split is erased with all of its events.
  /// - Throws: As ``EventLog/erase(stream:by:because:)``, and the errors of reading the events.
  /// - Complexity: O(matching events) if each item of the query has a tag, O(log) otherwise.
  @discardableResult
  public func erase(
    matching query: EventQuery<Event>, by author: String, because reason: String
  ) throws(AnnalsError) -> ErasureReport {
    try erasing(author, reason).run { (_) throws(AnnalsError) in
      try read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries(matching: query)
        var found: [Position] = []
        while let entry = try entries.next() {
          if found.last != entry.position { found.append(entry.position) }
        }
        return found
      }
    }
  }

  /// Erases the events that match `query` as they are stored, and folds inline projections again.
  package func erase(
    stored query: LogQuery, by author: String, because reason: String
  ) throws(AnnalsError) -> ErasureReport {
    try erasing(author, reason).run { (log) throws(AnnalsError) in try log.positions(matching: query) }
  }

  private func erasing(_ author: String, _ reason: String) throws(AnnalsError) -> Erasing {
    try Erasing(log, author: author, reason: reason, rules: rules)
  }
}
