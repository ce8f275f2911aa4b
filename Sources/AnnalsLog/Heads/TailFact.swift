/// What an entry of the tail says of its stream's head.
struct TailFact: Sendable {
  /// Where the entry is.
  var position: UInt64
  /// The position of the stream's first entry.
  var stream: UInt64
  /// The place in the stream.
  var revision: UInt64
  /// Where the stream's entry before it is; 0 for a first one.
  var previous: UInt64
  /// Whether the caller gave it an id.
  var hasID: Bool
  /// The hash of the stream's name, which only a first entry has.
  var hash: StreamHash?
  /// The bytes of the entry.
  var size: Int
}
