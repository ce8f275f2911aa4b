/// What a line of JSON may say of an entry that is to be stored.
public enum EntryField: String, CaseIterable, Sendable {
  /// The name of the stream, a text. Every line has it.
  case stream
  /// The name of the record type, a text. Every line has it.
  case type
  /// The schema version: a text such as `"1.0.0"`, or a whole number, of which 1 is 1.0.0.
  case version
  /// When it happened, a text that ``Timestamp/init(parsing:)`` reads.
  case time
  /// The writer's id, the text of a UUID.
  case id
  /// What the writer noted beside it, an object.
  case metadata
  /// What it says, an object. Every line has it.
  case data
}
