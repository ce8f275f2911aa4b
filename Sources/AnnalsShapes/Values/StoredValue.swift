public import AnnalsCoding

/// A type whose values have a shape on disk and can be part of the payload of a record.
///
/// Integers of every width, `Float`, `Double`, `Bool`, `String`, `Data`, `Date`, `UUID`, `URL`, `Decimal`,
/// ``AnyValue``, and optionals, arrays, sets and dictionaries of such types conform. `@Value` writes the
/// conformance for structs and enums, `@Record` for records.
public protocol StoredValue: Sendable {
  /// Returns the shape of the type's values on disk.
  ///
  /// - Parameter types: The types that contain this one.
  static func shape(in types: inout ShapeTypes) -> ValueShape

  /// Reads a value.
  ///
  /// - Throws: ``CodingFailure`` if the next item is not a value of this type.
  init(from reader: inout FieldReader) throws(CodingFailure)

  /// Writes the value.
  ///
  /// - Throws: ``CodingFailure`` if the value cannot be written.
  func encode(into writer: inout FieldWriter) throws(CodingFailure)
}
