/// Replacements for the unreadable entries of a generation, by position.
package struct EntryPatch: Sendable {
  /// The generation that they are for.
  package let generation: UInt64
  /// The entries' bytes by position.
  package let entries: [UInt64: [UInt8]]
  /// The number of the positions without an entry in the generation.
  package let missing: Int

  package init(generation: UInt64, entries: [UInt64: [UInt8]], missing: Int) {
    self.generation = generation
    self.entries = entries
    self.missing = missing
  }
}
