internal import AnnalsCoding

/// How much of the log a stage needs beyond a single entry.
public enum StageScope: String, Hashable, Sendable, Codable {
  /// Each entry by itself, with a context that was computed once from the whole log, if the stage has one.
  case record
  /// Entries of one stream: `Fold` combines several into one.
  case stream
  /// All streams: `Streams` moves entries between them, which only a migration pass does.
  case store
}
