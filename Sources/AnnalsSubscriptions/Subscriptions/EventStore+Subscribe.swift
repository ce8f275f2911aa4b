public import AnnalsCoding
public import AnnalsFormat
public import AnnalsLog
public import AnnalsSchema
public import AnnalsStore

extension EventStore {
  /// Subscribes to the entries after a place, followed by new entries as they are appended. See
  /// ``Subscription``.
  ///
  /// - Parameters:
  ///   - start: The place to begin.
  ///   - events: The types and tags of the events to deliver. Entries of other types are skipped without
  ///     decoding, unless a rule can turn them into one of these. If each item of the query has a tag, only
  ///     entries with these tags are read.
  ///   - prefix: The prefix of the names of the streams, compared by bytes. The default matches all.
  /// - Returns: A sequence that reads nothing before it is iterated. It stops at an entry that cannot be
  ///   decoded or upcast, with the error that ``StoreEntries/next()`` throws.
  public func subscribe(
    from start: SubscriptionStart, to events: EventQuery<Event> = .all, streamPrefix prefix: String? = nil
  ) -> Subscription<Entry<Event>> {
    Subscription(steps(from: start, to: events, streamPrefix: prefix, through: reach))
  }

  /// Returns the steps of a subscription, including the entries that it cannot read.
  func steps(
    from start: SubscriptionStart, to events: EventQuery<Event>, streamPrefix prefix: String?,
    through reach: PlanResolver
  ) -> AsyncEntries<FollowStep<Entry<Event>>> {
    let steps = events.steps(in: reach.plan)
    return log.core.steps(from: start, streamPrefix: prefix, matching: events.sourceByTags(reach)) {
      (reader, limits) throws(AnnalsError) in
      try reader.events(limits, through: reach, selecting: steps, matching: events)
    }
  }
}

extension EventLog {
  /// Subscribes to the stored entries after a place, followed by new entries as they are appended. See
  /// ``Subscription``.
  ///
  /// - Parameters:
  ///   - start: The place to begin.
  ///   - query: The record types and tags of the entries to deliver. By default, all are delivered.
  ///   - prefix: The prefix of the names of the streams, compared by bytes. The default matches all.
  /// - Returns: A sequence that throws the errors of ``LogEntries/next()``.
  public func subscribe(
    from start: SubscriptionStart, matching query: LogQuery? = nil, streamPrefix prefix: String? = nil
  ) -> Subscription<LogEntry> {
    Subscription(
      core.steps(from: start, streamPrefix: prefix, matching: query?.source) {
        (reader, limits) throws(AnnalsError) in
        try reader.entries(limits)
      })
  }
}
