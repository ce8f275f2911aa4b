/// The cause for the removal of an entry's payload. The raw values are stored.
package enum RemovalCause: UInt8, Sendable {
  /// A rule of a stage dropped the entry.
  case rule = 0
  /// A fold combined the entry into a later one.
  case fold = 1
  /// A person's data was erased.
  case erased = 2
  /// A damaged or failing entry was set aside.
  case quarantined = 3
  /// The entry moved to another stream.
  case moved = 4
  /// A pass had set the entry aside, and the versions that could read it were retired.
  case givenUp = 5
  /// The entry never had a payload: it records a change of the log itself.
  case system = 6
  /// The entry was before the oldest revision that its stream shows.
  case truncated = 7
}
