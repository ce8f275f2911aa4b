/// Under what a record is stored: its name, its version, and what its payloads look like.
struct RecordKind: Hashable, Sendable {
  /// The record's name on disk.
  let type: ExactText
  /// The schema version; `nil` for what is stored without one.
  let version: SchemaVersion?
  /// What payloads look like; `nil` where they are stored by name.
  var shape: StoredShape?
  /// Whether the version is released.
  var stability = SchemaStability.released
  /// The oldest version whose programs read it, as the store says; `nil` where it does not say.
  var oldestReader: SchemaVersion?
}
