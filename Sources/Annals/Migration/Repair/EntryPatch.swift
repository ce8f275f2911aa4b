/// Replacements for the unreadable entries of a generation, by position.
struct EntryPatch: Sendable {
  /// The generation that they are for.
  let generation: UInt64
  /// The entries' bytes by position.
  let entries: [UInt64: [UInt8]]
  /// The number of the positions without an entry in the generation.
  let missing: Int
}
