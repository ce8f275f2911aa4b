public import AnnalsCoding

/// A rule that says which stream each entry belongs to behind a stage: streams are renamed, split, merged, and entries dropped.
///
/// Only a migration pass does it. A store that has older entries does not open with the plan until a pass has been run, with the command's `migrate` or
/// ``MigrationMode/beforeOpen(_:)``. The pass keeps positions, times, ids, metadata and the order of entries; streams and revisions are given anew, in the
/// order of positions. A stage has one such rule at most, beside rules for its records, and no `Fold`.
///
/// ```swift
/// Streams { events, origin in
///   origin.stream.text.hasPrefix("user ") ? .moves(to: StreamName("athlete-\(origin.stream.text.dropFirst(5))")) : .stays
/// }
/// ```
///
/// - Parameter route: Where an entry goes. It is given what the entry is at the stage's older version, which is all parts of a split and nothing for an entry that
///   was dropped before, and what is known of the entry, without a path. It must be pure, and may be called more than once for an entry. What it throws ends the
///   pass, and the store is as it was.
public func Streams<From, To, Context>(
  _ route: @escaping @Sendable (_ events: [From.Event], _ origin: Origin) throws -> StreamRoute
) -> Rule<From, To, Context> {
  Rule(StreamRule(route: route))
}

/// Which stream an entry belongs to behind a stage.
struct StreamRule<From: VersionedSchema>: Sendable {
  /// Where an entry goes, given the events that it is at the older version.
  let route: @Sendable ([From.Event], Origin) throws -> StreamRoute
}

/// Where an entry goes.
public enum StreamRoute: Hashable, Sendable {
  /// It stays in its stream.
  case stays
  /// It moves to the stream of this name, behind the entries with lower positions that are there; the stream need not exist.
  case moves(to: StreamName)
  /// It is dropped: its place in its stream stays taken, and nothing of it is delivered any more.
  case dropped(reason: String)
}
