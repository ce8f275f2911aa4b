/// A field of an entry in a line of JSON to import.
public enum EntryField: String, CaseIterable, Sendable {
  /// The name of the stream, a text. Every line has it.
  case stream
  /// The name of the record type, a text. Every line has it.
  case type
  /// The schema version: a text such as `"1.0.0"`, or a whole number, where 1 is 1.0.0.
  case version
  /// The time of the event, a text that ``Timestamp/init(parsing:)`` reads.
  case time
  /// The caller's id, the text of a UUID.
  case id
  /// The metadata, an object.
  case metadata
  /// The attachments that the payload refers to, an array of their hashes in hexadecimal digits.
  case attachments
  /// The tags of the event, an array of texts.
  case tags
  /// The payload, an object. Every line has it.
  case data
}
