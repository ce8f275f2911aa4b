extension SchemaVersion: Codable {
  /// The version that a text such as `2.0.0` names.
  ///
  /// - Throws: `DecodingError` where the text names none.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let version = SchemaVersion(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "'\(text)' is no schema version such as 2.0.0")
    }
    self = version
  }

  /// Writes the version as text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
