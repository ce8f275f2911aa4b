package import AnnalsCoding

/// The extensions of an entry: bytes by key, in the order of their keys.
package struct EntryExtensions: Equatable, Sendable {
  /// Key and value of each.
  private(set) var values: [(key: UInt64, value: [UInt8])] = []

  /// The extensions of the entry `bytes` with `header`.
  package init(_ bytes: Span<UInt8>, _ header: EntryHeader) throws(FormatFailure) {
    guard header.flags.contains(.extensions) else { return }
    var reader = ByteReader(bytes, from: header.extensions)
    for _ in 0..<(try reader.varint()) {
      let key = try reader.varint()
      let value = try reader.countedRange()
      values.append((key, reader.copy(value)))
    }
  }

  /// The value of a key; setting `nil` removes it.
  package subscript(key: UInt64) -> [UInt8]? {
    get { values.first { $0.key == key }?.value }
    set {
      values.removeAll { $0.key == key }
      guard let newValue else { return }
      values.insert((key, newValue), at: values.firstIndex { $0.key > key } ?? values.count)
    }
  }

  /// Count, then for each its key (varint) and value (counted); nothing where there are none.
  package func encoded() -> [UInt8] {
    guard !values.isEmpty else { return [] }
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(values.count))
    for (key, value) in values {
      bytes.append(varint: key)
      bytes.append(counted: value)
    }
    return bytes
  }

  package static func == (left: EntryExtensions, right: EntryExtensions) -> Bool {
    left.values.elementsEqual(right.values, by: ==)
  }
}

extension EntryHeader {
  /// Whether a pass has set the entry aside.
  package func isQuarantined(_ bytes: Span<UInt8>) throws(FormatFailure) -> Bool {
    guard flags.contains(.extensions) else { return false }
    return try EntryExtensions(bytes, self)[QuarantineMark.key] != nil
  }
}
