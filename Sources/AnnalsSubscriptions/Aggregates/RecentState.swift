internal import AnnalsCoding

/// A state that was loaded a moment ago, for the next decision in line.
///
/// It is used under the same conditions as a snapshot, so that only newer entries are folded.
struct RecentState<A: Aggregate>: Sendable {
  let source: AggregateSnapshotRow.Source
  /// The checkpoint after which the state is valid.
  let checkpoint: Checkpoint
  /// The revision of that entry.
  let revision: UInt64
  let state: A.State
  /// The number of entries that were folded since the newest snapshot.
  let sinceSnapshot: UInt64
}

/// The states of a moment ago that a load may use, and those that it leaves.
struct RecentStates<A: Aggregate>: Sendable {
  /// The states.
  var states: [StreamName: RecentState<A>] = [:]
  /// The streams of which a state is left.
  var wanted: Set<StreamName> = []

  /// Whether a load has anything to do with them.
  func includes(_ stream: StreamName) -> Bool { wanted.contains(stream) || states[stream] != nil }
}
