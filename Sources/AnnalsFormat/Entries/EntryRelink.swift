package import AnnalsCoding

/// An entry to be moved to another place of a stream. Parts that a move does not change are copied byte by
/// byte from their stored place.
///
/// All contents are borrowed, as with ``EntryDraft``.
package struct EntryRelink: ~Escapable {
  private let source: Span<UInt8>
  private let header: EntryHeader
  private let name: Span<UInt8>
  private let stream: UInt64
  private let revision: Revision
  private let links: EntryLinks

  /// The entry `source` as the first one of the stream called `name`.
  @_lifetime(copy source, copy name)
  package init(_ source: Span<UInt8>, _ header: EntryHeader, beginning name: Span<UInt8>) {
    self.source = source
    self.header = header
    self.name = name
    stream = 0
    revision = 0
    links = EntryLinks()
  }

  /// The entry `source` as a later one of the stream whose first entry is at `stream`.
  @_lifetime(copy source)
  package init(
    _ source: Span<UInt8>, _ header: EntryHeader, in stream: UInt64, revision: Revision, links: EntryLinks
  ) {
    self.source = source
    self.header = header
    name = Span()
    self.stream = stream
    self.revision = revision
    self.links = links
  }

  /// Id, metadata, extensions, rows and body, which follow the links.
  private var unchanged: Range<Int> { header.links.upperBound..<source.count }

  /// The size of the entry in bytes.
  package var count: Int {
    var count = EntryHeader.checksum.upperBound + varintCount(UInt64(header.kind)) + 8
    count += stream == 0 ? varintCount(UInt64(name.count)) + name.count : varintCount(stream)
    count += varintCount(revision.rawValue)
    for level in 0..<links.count { count += varintCount(links[level]) }
    return count + unchanged.count
  }

  /// Writes the entry's bytes, as they are stored at `position`, to `bytes`, which has ``count`` of them.
  package func write(to bytes: inout MutableSpan<UInt8>, at position: Position) {
    var flags = header.flags.subtracting(.first)
    if stream == 0 { flags.insert(.first) }
    var writer = ByteWriter(&bytes)
    writer.write(EntryHeader.format)
    writer.write(littleEndian: flags.rawValue)
    writer.write(littleEndian: UInt32(0))
    writer.write(varint: UInt64(header.kind))
    writer.write(littleEndian: header.time)
    if stream == 0 { writer.write(counted: name) } else { writer.write(varint: stream) }
    writer.write(varint: revision.rawValue)
    for level in 0..<links.count { writer.write(varint: links[level]) }
    writer.write(source.extracting(unchanged))
    let written = writer.offset
    precondition(written == bytes.count, "a layout shorter than its count")
    let checksum = EntryHeader.checksum(of: bytes.span, at: position)
    for (index, place) in EntryHeader.checksum.enumerated() {
      bytes[place] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
    }
  }
}
