internal import AnnalsCoding

/// The common key of the records of a group, in at most 16 bytes.
@usableFromInline struct GroupKey: Equatable, Sendable {
  /// The most bytes of a key.
  private static let length = 16
  private let bytes: [UInt8]

  /// Creates the key for `value`: its encoded bytes, or the first half of their SHA-256 if they are too long.
  ///
  /// - Throws: ``CodingFailure`` if the value has no encoding.
  @usableFromInline init(_ value: some Encodable) throws {
    let encoded = try PayloadEncoder.encode(value)
    // One byte shorter than a hash, so that no key is mistaken for the hash of another.
    bytes = encoded.count < Self.length ? encoded : Array(SHA256.hash(encoded).prefix(Self.length))
  }
}
