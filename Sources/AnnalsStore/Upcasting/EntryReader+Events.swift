package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema

extension EntryCursor {
  /// Adds the events of one page of entries to `buffer`, in the plan's current version.
  ///
  /// An entry that cannot be upcast ends the page, and none of its events are added.
  package mutating func events<Event>(
    _ limits: PageLimits, through upcaster: Upcaster, backwards: Bool = false,
    into buffer: TypedEventBuffer<Event>
  ) -> PageEnd {
    guard let observer = upcaster.reach.observer else {
      return events(limits, through: upcaster, backwards: backwards, into: buffer) { _ in }
    }
    let start = ContinuousClock.now
    var tally = UpcastTally()
    let end = events(limits, through: upcaster, backwards: backwards, into: buffer) { tally.add($0) }
    observer.read(
      ReadActivity(entries: tally.entries, bytes: end.bytes, duration: ContinuousClock.now - start))
    tally.report(upcaster, to: observer)
    return end
  }

  /// Adds the events of one page.
  ///
  /// - Parameter note: Is passed each entry that is upcast. An empty one leaves no trace in the code.
  @inline(__always)
  private mutating func events<Event>(
    _ limits: PageLimits, through upcaster: Upcaster, backwards: Bool, into buffer: TypedEventBuffer<Event>,
    _ note: (borrowing LentEntry) -> Void
  ) -> PageEnd {
    var whole = buffer.count
    var cases: Set<Int>?
    var end = page(limits, of: upcaster.wanted) { (entry, stream) throws(AnnalsError) in
      note(entry)
      do throws(AnnalsError) { try upcaster.upcast(entry, of: stream, into: buffer) } catch {
        buffer.keep(first: whole)
        cases = upcaster.cases(of: entry)
        throw error
      }
      // The buffer's own count: this code is not specialised for the event, and asking an array takes long.
      if backwards, buffer.count > whole + 1 { buffer.entries[whole...].reverse() }
      whole = buffer.count
      return whole
    }
    end.unreadable?.cases = cases
    return end
  }
}

extension EntryReader {
  /// Reads the next page as events in the current version of the plan.
  ///
  /// - Parameters:
  ///   - steps: The steps of the plan at which the wanted entries begin; `nil` for all.
  ///   - query: The query that events must match; `nil` for all.
  ///   - likely: The likely number of events.
  ///   - storage: An array without elements, whose memory is used.
  package mutating func events<Event: SchemaEvent>(
    _ limits: PageLimits, through reach: PlanResolver, selecting steps: Set<Int>? = nil,
    matching query: EventQuery<Event>? = nil, likely: Int? = nil,
    in storage: consuming [Entry<Event>] = []
  ) throws(AnnalsError) -> EntryPage<Entry<Event>> {
    let buffer = TypedEventBuffer<Event>()
    buffer.entries = storage
    buffer.entries.reserveCapacity(likely ?? min(limits.elements, 256))
    let backwards = backwards
    let end = try page { (cursor, snapshot) throws(AnnalsError) in
      cursor.events(
        limits, through: try snapshot.upcaster(reach, selecting: steps), backwards: backwards, into: buffer)
    }
    if let query { buffer.entries.removeAll { !query.includes($0) } }
    return EntryPage(elements: buffer.entries, end: end)
  }
}

extension LogSnapshot {
  /// Returns the upcaster for entries of this snapshot.
  ///
  /// - Parameter steps: The steps of the plan at which the wanted entries begin; `nil` for all.
  /// - Throws: ``AnnalsError`` with code `superseded` if the store has retired the version that the plan ends
  ///   at.
  package func upcaster(_ reach: PlanResolver, selecting steps: Set<Int>? = nil) throws(AnnalsError)
    -> Upcaster
  {
    try reach.mustNotBeContracted(kinds)
    var upcaster = Upcaster(
      reach: reach, kinds: kinds, log: generation.current.log, generation: generation)
    if let steps { upcaster.select(steps) }
    return upcaster
  }
}
