public import AnnalsCoding

/// A removal of a person's keys, as the log is to record it.
public struct KeyDrop: Hashable, Sendable {
  /// The person who asked for it.
  public var author: String
  /// Why.
  public var reason: String
  /// The newest position of the log before the removal; 0 for an empty log. A record of it comes later. In
  /// a removal that the log records, the position of the record.
  public var position: Position
  /// In a removal that the log records, the time of the record; otherwise `nil`.
  ///
  /// Another copy of the log may have a record with the same words at the same position, at another time.
  /// Keys that do not keep the time return `nil`, and such a record is then taken for this one.
  public var time: Timestamp?

  /// Creates the removal.
  ///
  /// - Parameters:
  ///   - author: The person who asked for it.
  ///   - reason: Why.
  ///   - position: The newest position of the log before the removal.
  public init(author: String, reason: String, after position: Position) {
    self.author = author
    self.reason = reason
    self.position = position
  }
}
