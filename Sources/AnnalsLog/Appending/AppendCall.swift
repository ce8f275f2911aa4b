public import AnnalsCoding
internal import AnnalsShapes

/// One append call, collected by a closure: events for one or more streams, and streams to check.
///
/// Nothing is stored before the closure returns; then either the whole call is stored, or nothing.
public struct AppendCall<Event: Sendable>: ~Copyable {
  /// The encoded request so far.
  var request: AppendRequest
  /// The error of an event that cannot be stored. Later events are ignored.
  var failure: AnnalsError?
  /// The events so far, for a call that may have to be encoded again; otherwise empty.
  private(set) var events: [Event] = []
  private let keepsEvents: Bool
  let maximumPayload: Int
  /// How events that their own code encodes are added; `nil` if each has to go through ``encode``.
  var direct: DirectEvents?
  private let encode: (Event, StreamName) throws(AnnalsError) -> AppendRequest.Event
  /// The memory for a large call; `nil` once it was asked for.
  private var spare: SpareLists?

  /// Creates an empty call.
  ///
  /// - Parameters:
  ///   - time: The time of events that have none of their own.
  ///   - maximumPayload: The maximum size of a payload in bytes.
  ///   - keepsEvents: Whether ``events`` are kept.
  ///   - spare: The memory for a large call.
  ///   - encode: Encodes an event for storage.
  package init(
    time: Timestamp, maximumPayload: Int, keepsEvents: Bool = false, direct: DirectEvents? = nil,
    _ spare: SpareLists? = nil,
    _ encode: @escaping (Event, StreamName) throws(AnnalsError) -> AppendRequest.Event
  ) {
    request = AppendRequest(time: time.microseconds)
    self.keepsEvents = keepsEvents
    self.direct = direct
    self.spare = spare
    self.maximumPayload = maximumPayload
    self.encode = encode
  }

  /// Adds `events` to the end of `stream`.
  ///
  /// Expectations apply to the stream as it was before the call, even if the call appends to it twice.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first. Without events, the stream is only checked.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have.
  public mutating func append(
    _ events: [Event], to stream: StreamName, expecting expected: Expectation = .any
  ) {
    let (maximumPayload, encode) = (maximumPayload, encode)
    add(stream, expected) { (request) throws(AnnalsError) in
      for event in events { try request.add(try encode(event, stream), maximumPayload: maximumPayload) }
    }
    if keepsEvents { self.events += events }
  }

  /// Makes the call depend on `stream` without writing to it.
  ///
  /// - Parameters:
  ///   - stream: The stream to check.
  ///   - expected: The state that the stream must have.
  public mutating func check(_ stream: StreamName, _ expected: Expectation) {
    add(stream, expected) { _ in }
  }

  @inline(__always)
  mutating func add(
    _ stream: StreamName, _ expected: Expectation,
    _ body: (inout AppendRequest) throws(AnnalsError) -> Void
  ) {
    guard failure == nil else { return }
    if let spare, request.items.count >= SpareLists.large {
      request.move(to: spare)
      self.spare = nil
    }
    do throws(AnnalsError) {
      try request.add(checking: stream, expecting: expected)
      try body(&request)
    } catch {
      failure = error
    }
  }

  /// Returns the finished call for the writer, and its events if they are kept.
  ///
  /// Both leave together: an optimised build released events that were read before the call was consumed.
  ///
  /// - Throws: The error of an event or name that cannot be stored; `tooLarge` if the call exceeds a
  ///   transaction.
  package consuming func finish() throws(AnnalsError) -> (request: AppendRequest, events: [Event]) {
    if let failure { throw failure }
    try request.checkSize()
    // A copy would count references to all lists of the call.
    var finished = AppendRequest(time: request.time)
    swap(&finished, &request)
    return (finished, events)
  }
}

extension AppendCall where Event == NewEntry {
  /// Creates a call to an untyped log.
  init(time: Timestamp, maximumPayload: Int, _ spare: SpareLists) {
    self.init(time: time, maximumPayload: maximumPayload, spare) { (event, _) throws(AnnalsError) in
      var encoded = AppendRequest.Event(
        record: AppendRequest.Record(type: ExactText(event.type), version: event.version),
        payload: event.payload.bytes, id: try event.id?.checked(), metadata: try event.metadata.encoded(),
        time: try event.time?.checked())
      encoded.attachments = event.attachments.compactMap(\.hash)
      encoded.tags = event.tags
      return encoded
    }
  }

  /// Adds `events` to the end of `stream`.
  ///
  /// It works like the general form, but events that are already encoded need no look-up each.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first. Without events, the stream is only checked.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have.
  public mutating func append(
    _ events: [NewEntry], to stream: StreamName, expecting expected: Expectation = .any
  ) {
    let maximumPayload = maximumPayload
    add(stream, expected) { (request) throws(AnnalsError) in
      let lent = events.span
      for index in lent.indices { try request.add(index, of: lent, maximumPayload: maximumPayload) }
    }
  }
}
