/// The optional parts of an entry, and its form: two bytes after the format byte.
package struct EntryFlags: OptionSet, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The first entry of its stream: it has the stream's name in place of its id.
  package static let first = EntryFlags(rawValue: 1 << 0)
  /// The last entry of an append call.
  package static let endOfCall = EntryFlags(rawValue: 1 << 1)
  /// The caller gave an id.
  package static let id = EntryFlags(rawValue: 1 << 2)
  /// There is metadata.
  package static let metadata = EntryFlags(rawValue: 1 << 3)
  /// There are extensions.
  package static let extensions = EntryFlags(rawValue: 1 << 4)
  /// The entry has the rows of `schemas` and `kinds` that are new with it.
  package static let rows = EntryFlags(rawValue: 1 << 5)
  /// The body is the parts of a split, each with its kind, path and payload.
  package static let parts = EntryFlags(rawValue: 1 << 6)
  /// The body gives the reason for a missing payload.
  package static let stub = EntryFlags(rawValue: 1 << 7)

  /// Every flag of this format.
  static let known: EntryFlags = [
    .first, .endOfCall, .id, .metadata, .extensions, .rows, .parts, .stub,
  ]
}
