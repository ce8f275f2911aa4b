public import AnnalsCoding
internal import AnnalsSchema

/// What one append call asks for, collected by its closure: events for one or more streams, and streams that are only checked.
///
/// Nothing is stored before the closure returns; then all of it is, or none.
public struct AppendCall<Event: Sendable>: ~Copyable {
  /// What is asked for so far, encoded.
  private(set) var request: AppendRequest
  /// Why an event cannot be stored; what comes after it is not looked at.
  private(set) var failure: AnnalsError?
  /// The events so far, for a call that may have to be encoded anew; empty for others.
  private(set) var events: [Event] = []
  private let keepsEvents: Bool
  private let maximumPayload: Int
  private let encode: (Event, StreamName) throws(AnnalsError) -> AppendRequest.Event

  /// A call with nothing in it yet.
  ///
  /// - Parameters:
  ///   - time: The time of events that bring none.
  ///   - maximumPayload: The most bytes that a payload may have.
  ///   - keepsEvents: Whether ``events`` are kept.
  ///   - encode: Makes of an event what is stored.
  init(
    time: Timestamp, maximumPayload: Int, keepsEvents: Bool = false,
    _ encode: @escaping (Event, StreamName) throws(AnnalsError) -> AppendRequest.Event
  ) {
    request = AppendRequest(time: time.microseconds)
    self.keepsEvents = keepsEvents
    self.maximumPayload = maximumPayload
    self.encode = encode
  }

  /// Adds `events` to the end of `stream`.
  ///
  /// Expectations speak of the stream as it was before the call, also when the call appends to it twice.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first. Without events the stream is only checked.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: What the caller believes the stream holds.
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
  ///   - stream: The stream to compare.
  ///   - expected: What the caller believes the stream holds.
  public mutating func check(_ stream: StreamName, _ expected: Expectation) {
    add(stream, expected) { _ in }
  }

  @inline(__always)
  private mutating func add(
    _ stream: StreamName, _ expected: Expectation,
    _ body: (inout AppendRequest) throws(AnnalsError) -> Void
  ) {
    guard failure == nil else { return }
    do throws(AnnalsError) {
      try request.add(checking: stream, expecting: expected)
      try body(&request)
    } catch {
      failure = error
    }
  }

  /// The call as it goes to the writer, and its events where they are kept.
  ///
  /// Both leave together: an optimised build released events that were read before the call was consumed.
  ///
  /// - Throws: Why an event or a name cannot be stored; `tooLarge` where all of it is more than a transaction holds.
  consuming func finish() throws(AnnalsError) -> (request: AppendRequest, events: [Event]) {
    if let failure { throw failure }
    try request.checkSize()
    return (request, events)
  }
}

extension AppendCall where Event == NewEntry {
  /// A call to an untyped log.
  init(time: Timestamp, maximumPayload: Int) {
    self.init(time: time, maximumPayload: maximumPayload) { (event, _) throws(AnnalsError) in
      AppendRequest.Event(
        record: AppendRequest.Record(type: ExactText(event.type), version: event.version),
        payload: event.payload.bytes, id: event.id, metadata: try event.metadata.encoded(),
        time: try event.time?.checked())
    }
  }

  /// Adds `events` to the end of `stream`.
  ///
  /// As the general form; where the events are encoded already, nothing is looked up for each of them.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first. Without events the stream is only checked.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: What the caller believes the stream holds.
  public mutating func append(
    _ events: [NewEntry], to stream: StreamName, expecting expected: Expectation = .any
  ) {
    let maximumPayload = maximumPayload
    add(stream, expected) { (request) throws(AnnalsError) in
      for event in events { try request.add(event, maximumPayload: maximumPayload) }
    }
  }
}
