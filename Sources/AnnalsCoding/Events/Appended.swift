/// The positions and revisions of the events of an append call.
public struct Appended: Hashable, Sendable {
  /// The position of each event, in the call's order.
  public let positions: [Position]
  /// The revision of each event in its stream, in the call's order.
  public let revisions: [Revision]
  /// Whether an earlier call had already stored the events, so that nothing was written.
  public let wasRepeated: Bool

  package init(positions: [Position], revisions: [Revision], wasRepeated: Bool) {
    self.positions = positions
    self.revisions = revisions
    self.wasRepeated = wasRepeated
  }

  /// The position of the last event; `nil` after a call without events.
  public var position: Position? { positions.last }

  /// The revision of the last event; `nil` after a call without events.
  public var revision: Revision? { revisions.last }
}
