package import AnnalsCoding

/// Under what a record is stored: its name, its version, and what its payloads look like.
package struct RecordKind: Hashable, Sendable {
  /// The record's name on disk.
  package let type: ExactText
  /// The schema version; `nil` for what is stored without one.
  package let version: SchemaVersion?
  /// What payloads look like; `nil` where they are stored by name.
  package var shape: StoredShape?
  /// Whether the version is released.
  package var stability = SchemaStability.released
  /// The oldest version whose programs read it, as the store says; `nil` where it does not say.
  package var oldestReader: SchemaVersion?

  package init(
    type: ExactText, version: SchemaVersion? = nil, shape: StoredShape? = nil,
    stability: SchemaStability = .released, oldestReader: SchemaVersion? = nil
  ) {
    self.type = type
    self.version = version
    self.shape = shape
    self.stability = stability
    self.oldestReader = oldestReader
  }
}
