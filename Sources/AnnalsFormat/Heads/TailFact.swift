/// What an entry of the tail says of its stream's head.
package struct TailFact: Sendable {
  /// Where the entry is.
  package var position: UInt64
  /// The position of the stream's first entry.
  package var stream: UInt64
  /// The place in the stream.
  package var revision: UInt64
  /// Where the stream's entry before it is; 0 for a first one.
  package var previous: UInt64
  /// Whether the caller gave it an id.
  package var hasID: Bool
  /// The hash of the stream's name, which only a first entry has.
  package var hash: StreamHash?
  /// The bytes of the entry.
  package var size: Int

  package init(
    position: UInt64, stream: UInt64, revision: UInt64, previous: UInt64, hasID: Bool,
    hash: StreamHash? = nil, size: Int
  ) {
    self.position = position
    self.stream = stream
    self.revision = revision
    self.previous = previous
    self.hasID = hasID
    self.hash = hash
    self.size = size
  }
}
