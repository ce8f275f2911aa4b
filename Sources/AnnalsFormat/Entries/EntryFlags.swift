/// The optional parts of an entry, and its form: two bytes after the format byte.
///
/// Its members are inlinable and there are no literals of several flags: other modules test flags for every
/// entry, and the generic members of `SetAlgebra` would be called there through witness tables.
@usableFromInline package struct EntryFlags: OptionSet, Sendable {
  @usableFromInline package let rawValue: UInt16

  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The first entry of its stream: it has the stream's name in place of its id.
  @inlinable package static var first: EntryFlags { EntryFlags(rawValue: 1 << 0) }
  /// The last entry of an append call.
  @inlinable package static var endOfCall: EntryFlags { EntryFlags(rawValue: 1 << 1) }
  /// The caller gave an id.
  @inlinable package static var id: EntryFlags { EntryFlags(rawValue: 1 << 2) }
  /// There is metadata.
  @inlinable package static var metadata: EntryFlags { EntryFlags(rawValue: 1 << 3) }
  /// There are extensions.
  @inlinable package static var extensions: EntryFlags { EntryFlags(rawValue: 1 << 4) }
  /// The entry has the rows of `schemas` and `kinds` that are new with it.
  @inlinable package static var rows: EntryFlags { EntryFlags(rawValue: 1 << 5) }
  /// The body is the parts of a split, each with its kind, path and payload; with ``stub`` it is a system
  /// entry, which has no kind either.
  @inlinable package static var parts: EntryFlags { EntryFlags(rawValue: 1 << 6) }
  /// The body gives the reason for a missing payload.
  @inlinable package static var stub: EntryFlags { EntryFlags(rawValue: 1 << 7) }

  /// Every flag of this format.
  @usableFromInline package static var known: EntryFlags { EntryFlags(rawValue: 0xff) }
  /// The flags of bodies that are no payload.
  @inlinable package static var otherBodies: EntryFlags { EntryFlags(rawValue: 1 << 6 | 1 << 7) }
  /// The flags of entries that are more than one payload, or marked.
  @inlinable package static var special: EntryFlags { EntryFlags(rawValue: 1 << 4 | 1 << 6 | 1 << 7) }

  /// The flags of entries that are more than one payload and perhaps an id.
  @inlinable package static var rich: EntryFlags { EntryFlags(rawValue: 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7) }

  /// Whether all flags of `other` are set.
  @inlinable package func contains(_ other: EntryFlags) -> Bool {
    rawValue & other.rawValue == other.rawValue
  }

  /// Whether no flag of `other` is set.
  @inlinable package func isDisjoint(with other: EntryFlags) -> Bool { rawValue & other.rawValue == 0 }
}
