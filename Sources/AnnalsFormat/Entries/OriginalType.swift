package import AnnalsCoding

/// The type and version that an entry was appended with: an extension of entries that a pass has changed in a
/// store of a cluster.
///
/// The machines of a cluster run their passes at different times, and conditions must find the same entries
/// on all of them. So conditions compare this type, also that of an entry that has become a stub.
package struct OriginalType: Equatable, Sendable {
  /// The key of the extension. It is odd, because the entry is read in the same way without it.
  package static let key: UInt64 = 7

  /// The name of the record.
  package let name: ExactText
  /// The version; `nil` for an entry without one.
  package let version: SchemaVersion?

  package init(_ kind: KindRegistry.Kind) {
    name = ExactText(kind.row.name)
    version = kind.version
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    version = try reader.schemaVersion()
    name = ExactText(try reader.countedText())
    try reader.finish()
  }

  /// Version, name (counted text).
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(version)
    bytes.append(counted: name.text.utf8)
    return bytes
  }
}

extension LentEntry {
  /// The type and version that the entry was appended with, if a pass has noted them.
  var originalType: OriginalType? {
    get throws(AnnalsError) {
      guard header.flags.contains(.extensions) else { return nil }
      let (bytes, header) = (bytes, header)
      return try layout { () throws(FormatFailure) in
        guard let range = try header.value(ofExtension: OriginalType.key, in: bytes) else { return nil }
        return try OriginalType(bytes.extracting(range))
      }
    }
  }
}
