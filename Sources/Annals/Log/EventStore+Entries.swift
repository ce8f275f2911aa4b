public import AnnalsCoding
public import AnnalsSchema

extension EventStore {
  /// The events of the whole store, or of some streams, one after the other, for a loop that waits.
  ///
  /// ```swift
  /// for try await entry in store.entries(backwards: true, limit: 10) {
  ///   print(entry.position, entry.stream, entry.event)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - prefix: What the names of the streams begin with, byte by byte; by default all are read.
  ///   - start: The position to begin at; by default the first, or the last where they are read backwards.
  ///   - backwards: Whether they come newest first; the parts of a split then come last part first.
  ///   - limit: The most events to read.
  /// - Returns: A sequence that throws what ``StoreEntries/next()`` throws, and `cancelled` in a cancelled task.
  public func entries(
    streamPrefix prefix: String? = nil, from start: Position? = nil, backwards: Bool = false,
    limit: Int = .max
  ) -> AsyncEntries<Entry<Event>> {
    entries(of: .log(from: start, prefix: prefix), backwards: backwards, limit: limit)
  }

  /// The events of one stream, one after the other, for a loop that waits. A stream that does not exist has none.
  ///
  /// ```swift
  /// for try await entry in store.entries(in: "workout-42") {
  ///   print(entry.revision, entry.event)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - start: The revision to begin at; by default the first, or the last where they are read backwards.
  ///   - backwards: Whether they come newest first; the parts of a split then come last part first.
  ///   - limit: The most events to read.
  /// - Returns: A sequence that throws what ``StoreEntries/next()`` throws, `invalidName`, and `cancelled` in a cancelled
  ///   task.
  public func entries(
    in stream: StreamName, from start: Revision? = nil, backwards: Bool = false, limit: Int = .max
  ) -> AsyncEntries<Entry<Event>> {
    entries(of: .stream(stream, from: start), backwards: backwards, limit: limit)
  }

  private func entries(
    of source: EntrySource, backwards: Bool, limit: Int
  ) -> AsyncEntries<Entry<Event>> {
    AsyncEntries(limit: limit) { [core = log.core, reach] (steps, room) throws(AnnalsError) in
      let snapshot = try LogSnapshot(core)
      try reach.mustNotBeContracted(snapshot.kinds)
      let reader = snapshot.reader
      var steps =
        if let steps { steps } else { try snapshot.steps(of: source, backwards: backwards, likely: limit) }
      try steps.enter(snapshot)
      var cursor = try EntryCursor(reader, steps)
      let lifting = EntryLifting(
        reach: reach, kinds: snapshot.kinds, log: core.log, generation: snapshot.generation)
      let delivery = Delivery<Event>()
      delivery.entries.reserveCapacity(min(room.entries, room.events))
      var whole = 0
      var page = EntryPage<Entry<Event>>(steps: cursor.steps)
      do throws(AnnalsError) {
        page.isLast = try cursor.fill(room) { (entry, stream) throws(AnnalsError) in
          try lifting.lift(entry, of: stream, into: delivery)
          // The count, not the array's: this code is not specialised for the event, and an array asks for its type each time.
          if backwards, delivery.count > whole + 1 { delivery.entries[whole...].reverse() }
          whole = delivery.count
          return whole
        }
      } catch {
        // Of an entry that failed half-way nothing is given.
        delivery.keep(first: whole)
        page.failure = error
      }
      page.elements = delivery.entries
      page.steps = cursor.steps
      return page
    }
  }
}
