public import AnnalsCoding
public import AnnalsSchema

extension EventStore {
  /// Adds `events` to the end of `stream`, all of them or none.
  ///
  /// The events are on disk when this returns, but the last commit of a store that is opened with ``StoreOptions/Durability/relaxed``. Calls that wait at
  /// the same time share a commit. A task that is cancelled takes its call back as long as that waits.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first. Without events nothing is written and no stream is created.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: What the caller believes the stream holds, compared exactly with its head at commit.
  /// - Returns: Where the events stand.
  /// - Throws: ``AnnalsError`` with code `rejected` or `ruleFailed` where an inline projection does not take an event, `requiresActivation` where one of the store's is not in force any more, `conflict`, `streamMoved`, `invalidName`, `tooLarge`, `malformed`, `shapeChanged`, `superseded`, `newerSchema`, `unrepresentable`, `busy`, `readOnly`, `held`,
  ///   `needsNewer`, `permission`, `diskFull`, `notCommitted`, `outcomeUnknown`, `storeReplaced`, `lockFileDamaged`, `damaged`, `usedAfterFork`,
  ///   `inputOutput` or `cancelled`.
  /// - Complexity: O(`events.count`), and one flush to disk for all calls that wait at the same time.
  @discardableResult
  public func append(
    _ events: [Event], to stream: StreamName, expecting expected: Expectation = .any
  ) async throws(AnnalsError) -> Appended {
    try await append { call in call.append(events, to: stream, expecting: expected) }
  }

  /// Adds events with ids, metadata or times of their own to the end of `stream`, all of them or none.
  ///
  /// A call whose events have ids and are in the stream already, all and in the same order, writes nothing and returns
  /// their places, whatever was expected. The store's ``StoreOptions/idempotency`` says how far back ids
  /// are recognised: by default among the newest 64 entries of the stream, and a call that is repeated
  /// later is stored again. With ``StoreOptions/Idempotency/always`` it is for ever. Ids are looked for in
  /// other streams too, if a pass has moved the stream's entries there. Where too many entries are there to
  /// be certain, or several streams were merged, the call fails with `streamMoved`.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: What the caller believes the stream holds, compared exactly with its head at commit.
  /// - Returns: Where the events stand.
  /// - Throws: As ``append(_:to:expecting:)-([Event],_,_)``, and `duplicateID` or `partlyThere`.
  @_disfavoredOverload
  @discardableResult
  public func append(
    _ events: [NewEvent<Event>], to stream: StreamName, expecting expected: Expectation = .any
  ) async throws(AnnalsError) -> Appended {
    try await append { call in call.append(events, to: stream, expecting: expected) }
  }

  /// Adds events to several streams, all of them or none, if every expectation holds.
  ///
  /// - Parameter body: Collects what is to be appended and checked.
  /// - Returns: Where the events stand, in the order of the call.
  /// - Throws: As the other forms; a `conflict` lists every expectation that did not hold.
  @discardableResult
  public func append(
    _ body: (inout AppendCall<NewEvent<Event>>) -> Void
  ) async throws(AnnalsError) -> Appended {
    let room = try await log.core.admit(log.options)
    let form = try likelyForm()
    var call = AppendCall<NewEvent<Event>>(
      time: .now, maximumPayload: log.options.maximumPayload, keepsEvents: reach.rollout.needsLowering
    ) { (event, stream) throws(AnnalsError) in try encode(event, for: stream, form) }
    body(&call)
    if let newer {
      throw AnnalsError(
        .newerSchema,
        "the store has events of version \(newer), and the plan ends at \(Plan.Current.version): this program reads them, and only one with a plan up to \(newer) appends",
        details: AnnalsError.Details { $0.version = newer })
    }
    try beginning?.run()
    let finished = try call.finish()
    var request = finished.request
    request.take(room)
    return try await append(request, form, of: finished.events)
  }
}

extension AppendCall {
  /// Adds `events` to the end of `stream`.
  ///
  /// Expectations speak of the stream as it was before the call, also when the call appends to it twice.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first. Without events the stream is only checked.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: What the caller believes the stream holds.
  public mutating func append<Bare: SchemaEvent>(
    _ events: [Bare], to stream: StreamName, expecting expected: Expectation = .any
  ) where Event == NewEvent<Bare> {
    append(events.map { NewEvent($0) }, to: stream, expecting: expected)
  }
}
