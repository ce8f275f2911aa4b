/// Reads a `Codable` value from a payload by name.
///
/// Keys are compared as UTF-8 bytes, and those that the type does not ask for are passed over. The special types
/// have the forms that ``PayloadEncoder`` writes; besides, as JSON can say nothing else, a text is taken for a
/// Date (ISO 8601), a UUID, or base64 of Data and `[UInt8]`. A whole number is taken where a floating-point
/// number is wanted and holds it exactly; nothing is rounded, and 1.0 is no integer.
package enum PayloadDecoder {
  /// The value that `payload` holds.
  ///
  /// - Throws: ``CodingFailure`` with offset and path where the bytes are no payload, do not fit the type, or
  ///   the type's own code throws.
  package static func decode<T: Decodable>(_ type: T.Type, from payload: [UInt8]) throws(CodingFailure) -> T {
    // Once for all of it, so that containers can be entered anywhere and nesting is known to be bounded.
    try PayloadCheck.validate(payload.span)
    return try DecodingItem(bytes: payload, offset: 0, parent: nil, step: nil).decode(type)
  }
}
