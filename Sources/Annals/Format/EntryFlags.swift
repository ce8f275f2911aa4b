/// The optional parts of an entry, and its form: two bytes after the format byte.
struct EntryFlags: OptionSet, Sendable {
  let rawValue: UInt16

  /// The first entry of its stream: it carries the stream's name in place of its id.
  static let first = EntryFlags(rawValue: 1 << 0)
  /// The last entry of an append call.
  static let endOfCall = EntryFlags(rawValue: 1 << 1)
  /// The caller gave an id.
  static let id = EntryFlags(rawValue: 1 << 2)
  /// There is metadata.
  static let metadata = EntryFlags(rawValue: 1 << 3)
  /// There are extensions.
  static let extensions = EntryFlags(rawValue: 1 << 4)
  /// The entry carries the rows of `schemas` and `kinds` that are new with it.
  static let rows = EntryFlags(rawValue: 1 << 5)
  /// The body is the parts of a split, each with its kind, path and payload.
  static let parts = EntryFlags(rawValue: 1 << 6)
  /// The body gives the reason for a missing payload.
  static let stub = EntryFlags(rawValue: 1 << 7)

  /// Every flag of this format.
  static let known: EntryFlags = [
    .first, .endOfCall, .id, .metadata, .extensions, .rows, .parts, .stub,
  ]
}
