public import AnnalsCoding
public import AnnalsSchema
public import AnnalsStore

/// The events that follow from a decision, each with the stream that it goes to.
///
/// ```swift
/// return ["account-7": [.withdrawn(.init(amount: 30))], "account-9": [.deposited(.init(amount: 30))]]
/// ```
///
/// They are appended in this order, all of them or none.
public struct DecidedEvents<Event: SchemaEvent>: Sendable {
  /// The events for one stream.
  struct Part: Sendable {
    let stream: StreamName
    let events: [NewEvent<Event>]
  }

  private(set) var parts: [Part] = []

  /// No events: nothing is appended.
  public init() {}

  /// Adds events for a stream.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream that they go to.
  public mutating func append(_ events: [Event], to stream: StreamName) {
    append(events.map { NewEvent($0) }, to: stream)
  }

  /// Adds events with the caller's ids, metadata or times for a stream.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first.
  ///   - stream: The stream that they go to.
  @_disfavoredOverload
  public mutating func append(_ events: [NewEvent<Event>], to stream: StreamName) {
    if !events.isEmpty { parts.append(Part(stream: stream, events: events)) }
  }

  /// Whether there are no events.
  public var isEmpty: Bool { parts.isEmpty }
}

extension DecidedEvents: ExpressibleByDictionaryLiteral {
  /// Creates the events for each stream, in the order of the literal.
  public init(dictionaryLiteral elements: (StreamName, [Event])...) {
    for (stream, events) in elements { append(events, to: stream) }
  }
}
