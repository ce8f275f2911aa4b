public import AnnalsCoding

/// A point in a stream's past at which its state is loaded.
public enum StreamPoint: Hashable, Sendable {
  /// After the entry of the stream with this revision.
  case revision(Revision)
  /// After the newest entry of the stream that is at this position of the log or before it.
  case position(Position)
}
