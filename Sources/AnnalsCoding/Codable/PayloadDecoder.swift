/// A decoder of `Codable` values from payloads by name.
///
/// Keys are compared as UTF-8 bytes, and keys that the type does not use are skipped. The special types have
/// the forms that ``PayloadEncoder`` writes. Because JSON has no other form for them, texts are also accepted
/// for a Date (ISO 8601), a UUID, and Data and `[UInt8]` (base64). A whole number is accepted as a
/// floating-point number that represents it exactly. Nothing is rounded, and 1.0 is no integer.
package enum PayloadDecoder {
  /// Decodes the value in `payload`.
  ///
  /// - Throws: ``CodingFailure`` with offset and path if the bytes are not a payload, do not fit the type, or
  ///   the type's own code throws.
  package static func decode<T: Decodable>(_ type: T.Type, from payload: [UInt8]) throws(CodingFailure) -> T {
    // Checked once as a whole, so that containers can be entered anywhere and nesting is known to be bounded.
    // The type's own code may need much of the stack for each level.
    var reader = CBORReader(payload.span)
    try reader.checkItem(depth: CBOR.levelsOfNames)
    try reader.finish()
    return try DecodingItem(bytes: payload, offset: 0, parent: nil, step: nil).decode(type)
  }
}
