extension SchemaVersion: Codable {
  /// Decodes a version from a text such as `2.0.0`.
  ///
  /// - Throws: `DecodingError` if the text is not a version.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let version = SchemaVersion(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "'\(text)' is no schema version such as 2.0.0")
    }
    self = version
  }

  /// Encodes the version as text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
