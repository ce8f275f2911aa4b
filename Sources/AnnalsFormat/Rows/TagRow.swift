package import AnnalsCoding

/// The newest entry of a tag, with all values that the next entry's links need: a row of `tags`, whose key is
/// the tag's text.
package struct TagHead: Equatable, Sendable {
  /// The chain.
  package let chain: TagChainID
  /// The place of the newest entry in the chain.
  package private(set) var ordinal: UInt64
  /// The position of the newest entry.
  package private(set) var last: UInt64
  /// At index l − 1 the position of the newest ordinal that is a multiple of 4^l, for each l ≥ 1 with 4^l ≤
  /// the ordinal.
  package private(set) var levels: [UInt64]

  /// A head whose values are known.
  package init(chain: TagChainID, ordinal: UInt64, last: UInt64, levels: [UInt64]) {
    self.chain = chain
    self.ordinal = ordinal
    self.last = last
    self.levels = levels
  }

  /// The head of a chain that begins at `position`, with the tag numbered `index` there.
  package init(beginningAt position: UInt64, index: Int) {
    chain = TagChainID(first: position, index: UInt64(index))
    ordinal = 0
    last = position
    levels = []
  }

  /// The position of the newest ordinal that is a multiple of 4^`level`.
  package func newest(atLevel level: Int) -> UInt64 {
    level == 0 ? last : level <= levels.count ? levels[level - 1] : chain.first
  }

  /// Extends the chain by the entry at `position`.
  ///
  /// - Returns: The links of the entry.
  package mutating func extend(to position: UInt64) -> EntryLinks {
    ordinal += 1
    var links = EntryLinks()
    links.append(position - last)
    last = position
    guard ordinal & 3 == 0 else { return links }
    for level in 1..<Head.levels(dividing: Revision(ordinal)) {
      links.append(position - newest(atLevel: level))
      if level <= levels.count { levels[level - 1] = position } else { levels.append(position) }
    }
    return links
  }
}

extension TagHead {
  /// First position, index, ordinal, distance of the last position from the first, per level the distance
  /// back from the last position; all varints.
  package func write(to bytes: inout [UInt8]) {
    Self.write(chain, ordinal: ordinal, last: last, levels.span, to: &bytes)
  }

  /// Writes the row of a head with these values.
  package static func write(
    _ chain: TagChainID, ordinal: UInt64, last: UInt64, _ levels: Span<UInt64>, to bytes: inout [UInt8]
  ) {
    bytes.append(varint: chain.first)
    bytes.append(varint: chain.index)
    bytes.append(varint: ordinal)
    bytes.append(varint: last - chain.first)
    for level in levels.indices { bytes.append(varint: last - levels[level]) }
  }

  /// Reads a row.
  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let first = try reader.number(in: FormatRange.positions)
    let index = try reader.number()
    guard index < UInt64(TagList.maximumCount) else { throw FormatFailure(.value, at: 0) }
    chain = TagChainID(first: first, index: index)
    ordinal = try reader.number()
    let distance = try reader.number()
    let (last, isTooFar) = first.addingReportingOverflow(distance)
    // Each entry of the chain before it has a position of its own.
    guard !isTooFar, last <= FormatRange.maximum, distance >= ordinal, (ordinal == 0) == (distance == 0)
    else {
      throw FormatFailure(.link, at: 0)
    }
    self.last = last
    levels = []
    for _ in 0..<Head.levels(upTo: Revision(ordinal)) {
      let start = reader.offset
      let back = try reader.varint()
      guard back <= distance else { throw FormatFailure(.link, at: start) }
      levels.append(last - back)
    }
    try reader.finish()
  }
}
