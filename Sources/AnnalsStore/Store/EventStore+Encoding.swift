internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes

/// A call must be encoded in another form, because its version's roll-out is in another phase than expected.
struct OtherForm: Error {
  let form: EventForm
}

/// A call with its events, encoded for one phase of its version's roll-out.
struct EncodedCall<Event: SchemaEvent>: Sendable {
  var request: AppendRequest
  var form: EventForm
  /// The events, if they may have to be encoded again; otherwise empty.
  let events: [NewEvent<Event>]
  /// The number of times that it was passed to the writer.
  var attempt = 1
}

extension EventStore {
  /// Returns the rules of a store's appends.
  static func rules(
    _ resolver: PlanResolver, _ beginning: StreamMoveGuard?
  ) -> [any AppendRule] {
    var rules: [any AppendRule] = []
    // Appends on behalf of another program do not take part in that program's roll-out.
    if resolver.isLeased { rules.append(PlanRule(resolver: resolver, form: .newest)) }
    if let beginning { rules.append(StreamMoveRule(versions: beginning.versions)) }
    return rules
  }

  /// The maximum number of times that a call is encoded.
  private static var tries: Int { 3 }

  /// Returns the form in which events are likely to be stored.
  func likelyForm() throws(AnnalsError) -> EventForm {
    if log.options.sequencer != nil {
      guard reach.rollout.needsLowering else { return .newest }
      return RolloutDecision(
        reach.rollout, try log.read { (snapshot) throws(AnnalsError) in snapshot.kinds }
      ).sharedForm
    }
    let known = RolloutDecision(reach.rollout, log.core.generation.kinds).likelyForm
    if known == .newest { return known }
    // Another process may have activated the version, and then every event has a form.
    return RolloutDecision(
      reach.rollout, try log.read { (snapshot) throws(AnnalsError) in snapshot.kinds }
    ).likelyForm
  }

  /// Encodes a call for the likely phase of its version's roll-out.
  ///
  /// - Parameters:
  ///   - room: The space in the queue that is reserved for it.
  ///   - condition: The condition of the call; `nil` for none.
  func encode(
    within room: consuming LogWriter.Admission?, unless condition: AppendCondition? = nil,
    _ body: (inout AppendCall<NewEvent<Event>>) -> Void
  ) throws(AnnalsError) -> EncodedCall<Event> {
    let form = try likelyForm()
    var direct = form == .newest && !reach.rollout.needsLowering ? reach.direct : nil
    direct?.haveTags = declaresTags
    var call = AppendCall<NewEvent<Event>>(
      time: .now, maximumPayload: log.options.maximumPayload, keepsEvents: reach.rollout.needsLowering,
      direct: direct, log.core.spare
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
    if let condition { request.conditions = [condition] }
    if log.options.sequencer != nil { try beginShared(request) }
    return EncodedCall(request: request, form: form, events: finished.events)
  }

  /// Encodes a call again if the writer refused it only for its form, or because streams have to be moved
  /// first.
  ///
  /// - Throws: The error, if the call was refused for another reason or too often.
  func encodeAgain(_ call: inout EncodedCall<Event>, after error: AnnalsError) throws(AnnalsError) {
    guard call.attempt <= Self.tries else { throw error }
    call.attempt += 1
    if error.underlying is StreamsUnmoved {
      try beginning?.run(isAsked: true)
      return
    }
    let form: EventForm
    if let other = error.underlying as? OtherForm {
      form = other.form
    } else if error.code == .superseded, call.form == .shared, log.options.sequencer != nil {
      // The log of the cluster has activated the version before the call.
      form = try likelyForm()
      guard form != call.form else { throw error }
    } else {
      throw error
    }
    call.form = form
    call.request = try call.request.reencoded(call.events, maximumPayload: log.options.maximumPayload) {
      (event, stream) throws(AnnalsError) in try encode(event, for: stream, form)
    }
  }

  /// Returns the rules of a call whose events are in this form.
  func rules(_ form: EventForm) -> [any AppendRule] {
    guard form != .newest else { return rules }
    return rules.map { $0 is PlanRule ? PlanRule(resolver: reach, form: form) : $0 }
  }

  /// Returns the tags of an event: those that its record declares, and those of the call.
  @inline(__always)
  private func tags(of new: NewEvent<Event>) -> [EventTag] {
    declaresTags ? new.event.tags + new.tags : new.tags
  }

  /// Returns the record type and the payload with which an event is stored.
  func encode(
    _ new: NewEvent<Event>, for stream: StreamName, _ form: EventForm
  ) throws(AnnalsError) -> AppendRequest.Event {
    var time: Int64?
    if let date = new.time {
      guard let timestamp = Timestamp(date) else {
        throw AnnalsError(.malformed, "stream '\(stream)': a time lies within the years 1 to 9999")
      }
      time = timestamp.microseconds
    }
    let id = try new.id?.checked()
    let metadata = try new.metadata.encoded()
    func stored() throws(LoweringFailure) -> (record: RecordKind, payload: [UInt8]) {
      switch form {
      case .newest: try reach.plan.encodeNewest(new.event)
      case .shared:
        try reach.plan.encodeShared(
          new.event,
          from: Origin(
            position: 1, stream: stream, revision: 0,
            timestamp: time.map(Timestamp.init(microseconds:)) ?? .now, id: id, metadata: new.metadata,
            log: log.id))
      }
    }
    var event: AppendRequest.Event
    do throws(LoweringFailure) {
      if reach.plan.mayAttach {
        let notes = AttachmentNotes()
        let (record, payload) = try AttachmentNotes.$current.withValue(notes) {
          Result { () throws(LoweringFailure) in try stored() }
        }.get()
        event = AppendRequest.Event(
          record: record, payload: payload, id: id, metadata: metadata, time: time)
        event.attachments = notes.hashes
      } else {
        let (record, payload) = try stored()
        event = AppendRequest.Event(
          record: record, payload: payload, id: id, metadata: metadata, time: time)
      }
    } catch {
      throw AnnalsError(error, reach.plan.current.version, for: stream)
    }
    event.tags = tags(of: new)
    if let sealed = try reach.plan.sealedShared(event.payload.span, as: event.record, of: new.event) {
      event.payload = sealed
    }
    return event
  }
}

extension AppendRequest {
  /// Returns the same call with its events encoded again.
  func reencoded<Event>(
    _ events: [Event], maximumPayload: Int,
    _ encode: (Event, StreamName) throws(AnnalsError) -> AppendRequest.Event
  ) throws(AnnalsError) -> AppendRequest {
    var request = AppendRequest(time: time)
    request.conditions = conditions
    for part in parts {
      request.add(part.stream, expecting: part.expectation)
      for event in events[part.items] {
        try request.add(encode(event, part.stream), maximumPayload: maximumPayload)
      }
    }
    try request.checkSize()
    return request
  }
}

extension AnnalsError {
  /// The error for an event that cannot be stored.
  init(_ failure: LoweringFailure, _ version: SchemaVersion, for stream: StreamName) {
    switch failure {
    case .malformed(let failure): self.init(malformed: failure, what: "an event for stream '\(stream)'")
    case .unrepresentable(let type, let older, let reason, let cause):
      self.init(
        .unrepresentable,
        "stream '\(stream)': a '\(type)' of version \(version) has no form in version \(older), which programs still need: \(reason); run 'activate' once they have ended, or mend its Downcast; nothing was written",
        details: Details {
          $0.stream = stream
          $0.type = type
          $0.version = version
        }, underlying: cause)
    }
  }
}
