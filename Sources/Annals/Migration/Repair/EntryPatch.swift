/// Entries that stand in for those of a generation that cannot be read, by position.
struct EntryPatch: Sendable {
  /// The generation that they are for.
  let generation: UInt64
  /// The entries' bytes by position.
  let entries: [UInt64: [UInt8]]
  /// How many of the positions have no entry in the generation.
  let missing: Int
}
