public import AnnalsCoding

/// An event of a log that tests read with a plan: one that a rule sees together with others.
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

  /// An event of `stream`, after those of the log that come before it.
  public init(_ event: Event, in stream: StreamName = "sample") {
    self.event = event
    self.stream = stream
  }
}
