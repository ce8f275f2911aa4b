internal import AnnalsCoding

/// What the records of a group have in common, in at most 16 bytes.
@usableFromInline struct GroupKey: Equatable, Sendable {
  /// The most bytes that a key keeps.
  private static let length = 16
  private let bytes: [UInt8]

  /// The key for `value`: its encoded bytes, or the first half of their SHA-256 where they are more.
  ///
  /// - Throws: ``CodingFailure`` where the value has no encoding.
  @usableFromInline init(_ value: some Encodable) throws {
    let encoded = try PayloadEncoder.encode(value)
    // One byte less than a hash has, so that no key is taken for the hash of another.
    bytes = encoded.count < Self.length ? encoded : Array(SHA256.hash(encoded).prefix(Self.length))
  }
}
