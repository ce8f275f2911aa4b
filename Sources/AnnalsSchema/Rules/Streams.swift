public import AnnalsCoding

/// Assigns each entry to a stream after a stage: streams can be renamed, split and merged, and entries
/// dropped.
///
/// Only a migration pass applies this rule. A store that has older entries does not open with the plan until
/// a pass has run, with the command's `migrate` or ``MigrationMode/beforeOpen(_:)``. The pass keeps
/// positions, times, ids, metadata and the order of entries. It assigns streams and revisions again, in the
/// order of positions. A stage has at most one such rule, next to rules for its records, and no `Fold`.
///
/// ```swift
/// Streams { events, origin in
///   origin.stream.text.hasPrefix("user ") ? .moves(to: StreamName("athlete-\(origin.stream.text.dropFirst(5))")) : .stays
/// }
/// ```
///
/// - Parameter route: Returns the destination of an entry. `events` is the entry at the stage's older
///   version: all parts of a split, and none for an entry that was dropped before. `origin` is the entry's
///   origin, without a path. The closure must be pure, and may be called more than once for an entry. An
///   error it throws ends the pass, and the store is unchanged.
public func Streams<From, To, Context>(
  _ route: @escaping @Sendable (_ events: [From.Event], _ origin: Origin) throws -> StreamRoute
) -> Rule<From, To, Context> {
  Rule(StreamRule(route: route))
}

/// The assignment of entries to streams after a stage.
struct StreamRule<From: VersionedSchema>: Sendable {
  /// Returns the destination of an entry from its events at the older version.
  let route: @Sendable ([From.Event], Origin) throws -> StreamRoute
}

/// The destination of an entry.
public enum StreamRoute: Hashable, Sendable {
  /// The entry stays in its stream.
  case stays
  /// The entry moves to the stream with this name, after the entries there with lower positions. The stream
  /// need not exist.
  case moves(to: StreamName)
  /// The entry is dropped: its place in its stream stays in use, and it is no longer delivered.
  case dropped(reason: String)
}
