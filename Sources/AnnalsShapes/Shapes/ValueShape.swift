internal import AnnalsCoding

/// The shape of one value on disk.
///
/// A shape has no names of Swift types: two types with the same stored form have the same shape.
public indirect enum ValueShape: Hashable, Sendable {
  /// false or true.
  case bool
  /// A whole number.
  case integer(IntegerShape)
  /// A single-precision number.
  case float
  /// A double-precision number.
  case double
  /// A text in UTF-8.
  case text
  /// A byte string.
  case bytes
  /// A point in time: a double, the seconds since 2001-01-01T00:00:00Z.
  case date
  /// A UUID: its 16 bytes.
  case uuid
  /// A URL: its text.
  case url
  /// A decimal number: its text.
  case decimal
  /// A value or null.
  case optional(ValueShape)
  /// An array.
  case list(ValueShape)
  /// An array without repetitions, sorted by the encoded bytes of its elements.
  case set(ValueShape)
  /// A map if the keys are texts, otherwise an array of pairs; both are sorted by the encoded bytes of the
  /// keys.
  case map(ValueShape, ValueShape)
  /// An array of fields.
  case record([FieldShape])
  /// One of several cases: its number if it has no values, otherwise an array of its number and its values.
  case choice([CaseShape])
  /// A reference to a record or choice further out, by the number of levels; 0 is the innermost one.
  case enclosing(Int)
  /// The output of a `Codable` type, by name.
  case codable
  /// Any value, by name: an ``AnyValue``.
  case any
}

/// The range of a whole number. `Int` and `UInt` have 64 bits.
public enum IntegerShape: String, Hashable, Sendable, CaseIterable {
  case int8, int16, int32, int64
  case uint8, uint16, uint32, uint64
}
