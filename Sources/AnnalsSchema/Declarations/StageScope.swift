internal import AnnalsCoding

/// How far a stage looks beyond a single entry.
public enum StageScope: String, Hashable, Sendable, Codable {
  /// Each entry by itself; a context adds what was worked out once from the whole log.
  case record
  /// Entries of one stream become one, by `Fold`.
  case stream
  /// Entries change streams, by `Streams`: only a migration pass does that.
  case store
}
