public import AnnalsCoding
public import AnnalsSchema

extension EventStore {
  /// The entries behind a place, and then those that are appended, as they come. See ``Subscription``.
  ///
  /// - Parameters:
  ///   - start: Where it begins.
  ///   - events: The types of events that are given; entries of others are passed over without decoding them, where no rule makes one of these of them.
  ///   - prefix: What the names of the streams begin with, byte by byte; by default all are read.
  /// - Returns: A sequence that reads nothing before it is iterated. An entry that cannot be decoded or upcast stops it with the error that ``StoreEntries/next()`` throws.
  public func subscribe(
    from start: SubscriptionStart, to events: EventSelection<Event> = .all, streamPrefix prefix: String? = nil
  ) -> Subscription<Entry<Event>> {
    Subscription(steps(from: start, to: events, streamPrefix: prefix))
  }

  /// The steps of a subscription, and the entries that it cannot read.
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
  /// The entries behind a place as they are stored, and then those that are appended, as they come. See ``Subscription``.
  ///
  /// - Parameters:
  ///   - start: Where it begins.
  ///   - prefix: What the names of the streams begin with, byte by byte; by default all are read.
  /// - Returns: A sequence that throws what ``LogEntries/next()`` throws.
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
  /// The steps of a plan whose entries can become events of the selection; `nil` for all.
  func steps(in plan: CompiledPlan) -> Set<Int>? {
    cases.map { cases in cases.reduce(into: []) { $0.formUnion(plan.sources(of: $1)) } }
  }
}
