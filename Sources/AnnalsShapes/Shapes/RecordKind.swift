package import AnnalsCoding

/// The kind under which a record is stored: its name, its version, and the shape of its payloads.
package struct RecordKind: Hashable, Sendable {
  /// The record's name on disk.
  package let type: ExactText
  /// The schema version; `nil` for records stored without one.
  package let version: SchemaVersion?
  /// The shape of payloads; `nil` if they are stored by name.
  package var shape: StoredShape?
  /// Whether the version is released.
  package var stability = SchemaStability.released
  /// The oldest version whose programs read the kind, according to the store; `nil` if the store does not
  /// say.
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
