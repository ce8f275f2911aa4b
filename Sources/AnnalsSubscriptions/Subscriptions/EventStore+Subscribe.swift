public import AnnalsCoding
public import AnnalsLog
public import AnnalsSchema
public import AnnalsStore

extension EventStore {
  /// Subscribes to the entries after a place, followed by new entries as they are appended. See
  /// ``Subscription``.
  ///
  /// - Parameters:
  ///   - start: The place to begin.
  ///   - events: The types of events to deliver. Entries of other types are skipped without decoding, unless
  ///     a rule can turn them into one of these.
  ///   - prefix: The prefix of the names of the streams, compared by bytes. The default matches all.
  /// - Returns: A sequence that reads nothing before it is iterated. It stops at an entry that cannot be
  ///   decoded or upcast, with the error that ``StoreEntries/next()`` throws.
  public func subscribe(
    from start: SubscriptionStart, to events: EventSelection<Event> = .all, streamPrefix prefix: String? = nil
  ) -> Subscription<Entry<Event>> {
    Subscription(steps(from: start, to: events, streamPrefix: prefix))
  }

  /// Returns the steps of a subscription, including the entries that it cannot read.
  func steps(
    from start: SubscriptionStart, to events: EventSelection<Event>, streamPrefix prefix: String?
  ) -> AsyncEntries<FollowStep<Entry<Event>>> {
    let steps = events.steps(in: reach.plan)
    return log.core.steps(from: start, streamPrefix: prefix) { [reach] (reader, limits) throws(AnnalsError) in
      var page: EntryPage<Entry<Event>> = try reader.events(limits, through: reach, selecting: steps)
      page.elements.removeAll { !events.includes($0) }
      return page
    }
  }
}

extension EventLog {
  /// Subscribes to the stored entries after a place, followed by new entries as they are appended. See
  /// ``Subscription``.
  ///
  /// - Parameters:
  ///   - start: The place to begin.
  ///   - prefix: The prefix of the names of the streams, compared by bytes. The default matches all.
  /// - Returns: A sequence that throws the errors of ``LogEntries/next()``.
  public func subscribe(
    from start: SubscriptionStart, streamPrefix prefix: String? = nil
  ) -> Subscription<LogEntry> {
    Subscription(
      core.steps(from: start, streamPrefix: prefix) { (reader, limits) throws(AnnalsError) in
        try reader.entries(limits)
      })
  }
}

extension EventSelection {
  /// Returns the steps of a plan whose entries can become selected events; `nil` for all.
  func steps(in plan: CompiledPlan) -> Set<Int>? {
    cases.map { cases in cases.reduce(into: []) { $0.formUnion(plan.sources(of: $1)) } }
  }
}
