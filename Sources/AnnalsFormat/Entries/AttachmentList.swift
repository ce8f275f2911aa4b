package import AnnalsCoding

/// The attachments that an entry refers to: an extension of the entry, so that they are known without a plan.
package struct AttachmentList: Equatable, Sendable {
  /// The extension's key. It is odd: a library that does not know it copies it.
  package static let key: UInt64 = 3

  /// The hashes, ascending, each once.
  package let hashes: [ContentHash]

  /// Creates the list of these hashes, in any order.
  package init(_ hashes: some Sequence<ContentHash>) {
    self.hashes = Set(hashes).sorted()
  }

  /// The extensions of an entry that has no others: count, key (varints) and hashes (counted); nothing for an
  /// empty list.
  package var extensions: [UInt8] {
    guard !hashes.isEmpty else { return [] }
    var bytes: [UInt8] = []
    bytes.append(varint: 1)
    bytes.append(varint: Self.key)
    bytes.append(counted: hashes.flatMap(\.bytes))
    return bytes
  }

  /// The value of the extension; `nil` for an empty list.
  package var value: [UInt8]? { hashes.isEmpty ? nil : hashes.flatMap(\.bytes) }

  /// Reads the value of the extension.
  package init(_ value: [UInt8]) throws(FormatFailure) {
    var hashes: [ContentHash] = []
    for start in stride(from: 0, to: value.count, by: ContentHash.byteCount) {
      guard let hash = ContentHash(value[start..<min(start + ContentHash.byteCount, value.count)]),
        hashes.last.map({ $0 < hash }) ?? true
      else { throw FormatFailure(.value, at: start) }
      hashes.append(hash)
    }
    self.hashes = hashes
  }
}

extension EntryHeader {
  /// The attachments that the entry refers to.
  package func attachments(_ bytes: Span<UInt8>) throws(FormatFailure) -> [ContentHash] {
    guard flags.contains(.extensions), let value = try EntryExtensions(bytes, self)[AttachmentList.key] else {
      return []
    }
    return try AttachmentList(value).hashes
  }
}
