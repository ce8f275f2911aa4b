public import AnnalsCoding

/// An event of a sample log, for tests of rules that use several events.
///
/// ```swift
/// extension TeamsV1 {
///   static var sampleLogs: [[SampledEvent<Event>]] {
///     [
///       [
///         SampledEvent(.teamFounded(.init(name: "Reds")), in: "team-1"),
///         SampledEvent(.playerAdded(.init(team: "Reds")), in: "player-1"),
///       ]
///     ]
///   }
/// }
/// ```
public struct SampledEvent<Event: SchemaEvent>: Sendable {
  /// The event.
  public let event: Event
  /// The stream that it is appended to.
  public let stream: StreamName

  /// Creates an event of `stream`, after the earlier events of the log.
  public init(_ event: Event, in stream: StreamName = "sample") {
    self.event = event
    self.stream = stream
  }
}
