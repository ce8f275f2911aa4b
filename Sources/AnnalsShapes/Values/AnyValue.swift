public import AnnalsCoding

/// Any stored value: a number in one event, a text or an object in another.
///
/// Use it for data that has no fixed type, such as fields of JSON from elsewhere. If there is a type, declare
/// it: no check knows the content of an `AnyValue`.
///
/// ```swift
/// @Record struct MeasurementImported {
///   var sensor: String
///   var reading: AnyValue                     // 21.5 in one line, "n/a" in the next
/// }
/// ```
///
/// Create one from a literal (`[1, 2.5, "three", ["four": .null]]`) or a case (`.text(name)`), and read it
/// with a `switch`, or with `text`, `integer`, `number`, `array`, `pairs` and `["key"]`. Two are equal if
/// they are stored as the same bytes: 1 and 1.0 are two values, and so are two normalisations of a text.
///
/// A field of any type with a shape, except an ``Attachment``, becomes one without a rule. Values then have
/// the form by name of docs/format-payloads.md: a struct is a map of its fields, a case its name, a `Date`
/// the number of seconds since 2001. The reverse change needs a rule.
public typealias AnyValue = CBOR

extension CBOR: StoredValue {
  /// Any value.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .any }

  /// Reads a value of any type.
  ///
  /// - Throws: ``CodingFailure`` also for a value that nests more than ``depthLimit`` deep, counted from the
  ///   payload.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    self = try reader.any()
  }

  /// Writes the value; pairs of maps are sorted.
  ///
  /// - Throws: ``CodingFailure`` if the value has a tag, `undefined`, another simple value, a key that is not
  ///   text or is a duplicate, or nests more than 64 deep, counted from the payload.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    try writer.any(self)
  }
}

extension FieldReader {
  /// Reads the next item of any type.
  fileprivate mutating func any() throws(CodingFailure) -> CBOR {
    try reader.payloadItem(depth: depth)
  }
}

extension FieldWriter {
  /// Writes a value of any type, whose form by name may have more levels around it.
  fileprivate mutating func any(_ value: CBOR) throws(CodingFailure) {
    try value.encodePayload(into: &bytes, depth: depth &+ CBOR.levelsOfNames)
  }
}
