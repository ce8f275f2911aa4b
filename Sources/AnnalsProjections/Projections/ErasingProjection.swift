public import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsStore

/// A projection that removes erased events from its rows itself, instead of being folded again.
///
/// ```swift
/// extension People: ErasingProjection {
///   static func erase(_ event: ErasedEvent, from rows: inout ProjectionRows) throws {
///     try rows.delete(Person.self, event.stream.text)
///   }
/// }
/// ```
///
/// This is possible if the rows of an event can be found by its stream, revision or position. It is not
/// possible for a sum of amounts: the amount of an erased event is gone, so such a projection is folded
/// again.
public protocol ErasingProjection<Event>: Projection {
  /// Removes the contribution of an erased event from the rows.
  ///
  /// It is called once for each erased event that the projection may have folded, in the order of the log.
  /// Afterwards the rows must be those that a fold of the log without these events produces. If it throws,
  /// the projection is folded again. See ``Projection/apply(_:to:)`` for what it may depend on.
  ///
  /// A view is folded again without a call if an event may have had another stream, name or revision when it
  /// was folded, because a pass has moved streams since, or a pass or a repair removed the stream's name.
  static func erase(_ event: ErasedEvent, from rows: inout ProjectionRows) throws
}

/// The facts that a store still has about an erased event.
public struct ErasedEvent: Hashable, Sendable {
  /// The event's position.
  public let position: Position
  /// The event's stream.
  public let stream: StreamName
  /// The event's place in its stream.
  public let revision: Revision
}

/// A callback that takes an erased event out of rows.
typealias RowEraser = @Sendable (ErasedEvent, inout ProjectionRows) throws -> Void

extension Projection {
  /// The callback of the projection; `nil` if it is folded again.
  static var eraser: RowEraser? {
    func callback<P: ErasingProjection>(_ projection: P.Type) -> RowEraser {
      { (event, rows) in try P.erase(event, from: &rows) }
    }
    guard let erasing = Self.self as? any ErasingProjection.Type else { return nil }
    return callback(erasing)
  }
}
