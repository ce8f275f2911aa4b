/// What one append call asks for, collected by its closure: events for one or more streams, and streams that are only checked.
///
/// Nothing is stored before the closure returns; then all of it is, or none.
public struct AppendCall<Event: Sendable>: ~Copyable {
  struct Part {
    var stream: StreamName
    var expectation: Expectation
    var events: [Event]
  }

  private(set) var parts: [Part] = []

  init() {}

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
    parts.append(Part(stream: stream, expectation: expected, events: events))
  }

  /// Makes the call depend on `stream` without writing to it.
  ///
  /// - Parameters:
  ///   - stream: The stream to compare.
  ///   - expected: What the caller believes the stream holds.
  public mutating func check(_ stream: StreamName, _ expected: Expectation) {
    parts.append(Part(stream: stream, expectation: expected, events: []))
  }
}
