package import AnnalsCoding

/// The tags of an entry: an extension, in which each tag leads to the entry before that has the same tag.
///
/// The entries of a tag are a chain, like those of a stream. An entry's place in the chain is its *ordinal*,
/// counted from 0, and each ordinal has the links that a revision with its number would have.
package enum TagList {
  /// The extension's key. It is odd: the entry can be read without it.
  package static let key: UInt64 = 5
  /// The most tags of one event.
  package static let maximumCount = 64
}

/// The place that a chain begins at, by which an erased tag is recognised.
package struct TagChainID: Hashable, Sendable {
  /// The position of the first entry of the chain.
  package var first: UInt64
  /// The place of the tag among the tags of that entry.
  package var index: UInt64

  package init(first: UInt64, index: UInt64) {
    self.first = first
    self.index = index
  }
}

/// A tag of a stored entry, as places in the entry's bytes.
package struct StoredTag: Sendable {
  /// The text of the tag; empty in an erased entry.
  package let text: Range<Int>
  /// The chain of an erased tag; `nil` if the text says it.
  package let chain: TagChainID?
  /// The place of the entry in the chain.
  package let ordinal: UInt64
  /// The offset of the first link.
  package let links: Int

  /// The position of the entry at ordinal − 4^`level`; the entry must have a link of that level.
  package func linked(
    level: Int, from position: UInt64, in bytes: Span<UInt8>
  ) throws(FormatFailure) -> UInt64 {
    var reader = ByteReader(bytes, from: links)
    for _ in 0..<level { _ = try reader.varint() }
    return position - (try reader.varint())
  }
}

extension EntryHeader {
  /// Calls `body` with each tag of the entry, in order, until it returns `false`.
  ///
  /// - Throws: ``FormatFailure`` if the tags are not as docs/format.md draws them.
  package func eachTag(
    in bytes: Span<UInt8>, at position: Position, _ body: (StoredTag) -> Bool
  ) throws(FormatFailure) {
    guard flags.contains(.extensions), let range = try value(ofExtension: TagList.key, in: bytes) else {
      return
    }
    let bytes = bytes.extracting(0..<range.upperBound)
    var reader = ByteReader(bytes, from: range.lowerBound)
    let start = reader.offset
    let count = try reader.varint()
    guard count >= 1, count <= UInt64(TagList.maximumCount) else { throw FormatFailure(.value, at: start) }
    for _ in 0..<count {
      let text = try reader.countedRange()
      var chain: TagChainID?
      if text.isEmpty {
        let first = try reader.varint()
        chain = TagChainID(first: first, index: try reader.varint())
      }
      let ordinal = try reader.varint()
      let links = reader.offset
      for _ in 0..<Head.levels(dividing: Revision(ordinal)) {
        let start = reader.offset
        let distance = try reader.varint()
        guard distance > 0, distance < position.rawValue else { throw FormatFailure(.link, at: start) }
      }
      guard body(StoredTag(text: text, chain: chain, ordinal: ordinal, links: links)) else { return }
    }
    try reader.finish()
  }

  /// The texts of the entry's tags, in the order of their bytes; those of an erased entry are left out.
  package func tags(in bytes: Span<UInt8>, at position: Position) throws(FormatFailure) -> [EventTag] {
    var ranges: [Range<Int>] = []
    try eachTag(in: bytes, at: position) { tag in
      if !tag.text.isEmpty { ranges.append(tag.text) }
      return true
    }
    var tags: [EventTag] = []
    for range in ranges { tags.append(EventTag(try bytes.text(in: range))) }
    return tags
  }

  /// The place of the value of an extension; `nil` if the entry does not have it.
  package func value(ofExtension wanted: UInt64, in bytes: Span<UInt8>) throws(FormatFailure) -> Range<Int>? {
    var reader = ByteReader(bytes, from: extensions)
    for _ in 0..<(try reader.varint()) {
      let key = try reader.varint()
      let range = try reader.countedRange()
      if key == wanted { return range }
    }
    return nil
  }
}

/// The tags of an entry that is being stored.
package struct TagListDraft {
  /// The value of the extension so far, without the count.
  private var bytes: [UInt8] = []
  /// The number of tags.
  package private(set) var count = 0

  package init() {}

  /// Removes all tags.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Adds a tag. Tags come in the order of their bytes.
  ///
  /// - Parameters:
  ///   - text: The text of the tag; empty if it is erased.
  ///   - chain: The chain of an erased tag.
  package mutating func add(
    _ text: Span<UInt8>, chain: TagChainID? = nil, ordinal: UInt64, _ links: EntryLinks
  ) {
    bytes.append(varint: UInt64(text.count))
    bytes.append(text)
    if let chain {
      bytes.append(varint: chain.first)
      bytes.append(varint: chain.index)
    }
    bytes.append(varint: ordinal)
    for level in 0..<links.count { bytes.append(varint: links[level]) }
    count += 1
  }

  /// The value of the extension.
  package var value: [UInt8] {
    var value: [UInt8] = []
    value.reserveCapacity(bytes.count + 1)
    value.append(varint: UInt64(count))
    value.append(bytes.span)
    return value
  }

  /// Writes the extensions of an entry that has these tags, and `others` as ``AttachmentList`` writes them.
  package func write(after others: [UInt8], to extensions: inout [UInt8]) {
    extensions.removeAll(keepingCapacity: true)
    extensions.reserveCapacity(others.count + bytes.count + 16)
    // A list of attachments alone begins with the count 1.
    extensions.append(varint: others.isEmpty ? 1 : 2)
    if !others.isEmpty { extensions.append(others.span.extracting(1..<others.count)) }
    extensions.append(varint: TagList.key)
    extensions.append(varint: UInt64(bytes.count + varintCount(UInt64(count))))
    extensions.append(varint: UInt64(count))
    extensions.append(bytes.span)
  }
}
