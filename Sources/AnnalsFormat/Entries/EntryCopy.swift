package import AnnalsCoding

/// An entry to be copied into another generation. Parts that a rewrite never changes are copied byte by byte
/// from their stored place.
///
/// All contents are borrowed, as with ``EntryDraft``.
package struct EntryCopy: ~Escapable {
  private let source: Span<UInt8>
  private let header: EntryHeader
  private let form: EntryDraft.Form
  /// The kind in the new generation; not used if the body is parts.
  private let kind: UInt32
  /// The number of parts in `body`, if it is parts without their count.
  private let parts: UInt64?
  private let body: Span<UInt8>
  /// Count and extensions, or nothing.
  package var extensions: Span<UInt8>
  /// Count and rows, or nothing.
  package var rows: Span<UInt8>
  /// Whether the entry loses its event id.
  package var dropsID = false

  /// Creates a copy of the entry `source` with another body, its extensions, and no rows.
  ///
  /// - Parameters:
  ///   - parts: The number of parts in `body`; `nil` if it is not parts, or their count is in it.
  ///   - body: The body in the layout of ``EntryBody``.
  @_lifetime(copy source, copy body)
  @inline(__always)
  package init(
    _ source: Span<UInt8>, _ header: EntryHeader, kind: UInt32, form: EntryDraft.Form, parts: UInt64? = nil,
    body: Span<UInt8>
  ) {
    self.source = source
    self.header = header
    self.form = form
    self.kind = form == .parts || form == .system ? 0 : kind
    self.parts = parts
    self.body = body
    extensions = source.extracting(header.extensions..<header.rows)
    rows = Span()
  }

  /// The bytes between the kind and the extensions; a stub has no metadata, and an erased one no id.
  private var unchanged: Range<Int> {
    let start = EntryHeader.checksum.upperBound + varintCount(UInt64(header.kind))
    if dropsID { return start..<header.links.upperBound }
    return start..<(form == .stub ? header.links.upperBound + header.id.count : header.extensions)
  }

  /// The size of the entry in bytes.
  @inline(__always)
  package var count: Int {
    var count = EntryHeader.checksum.upperBound + varintCount(UInt64(kind)) + unchanged.count
    if let parts { count += varintCount(parts) }
    return count + extensions.count + rows.count + body.count
  }

  /// Writes the entry's bytes, as they are stored at `position`, to `bytes`, which has ``count`` of them.
  @inline(__always)
  package func write(to bytes: inout MutableSpan<UInt8>, at position: Position) {
    var writer = ByteWriter(&bytes)
    writer.write(EntryHeader.format)
    writer.write(littleEndian: flags.rawValue)
    writer.write(littleEndian: UInt32(0))
    writer.write(varint: UInt64(kind))
    writer.write(source.extracting(unchanged))
    writer.write(extensions)
    writer.write(rows)
    if let parts { writer.write(varint: parts) }
    writer.write(body)
    let written = writer.offset
    precondition(written == bytes.count, "a layout shorter than its count")
    let checksum = EntryHeader.checksum(of: bytes.span, at: position)
    for (index, place) in EntryHeader.checksum.enumerated() {
      bytes[place] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
    }
  }

  /// The entry's bytes, as they are stored at `position`.
  package func encoded(at position: Position) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    write(to: &span, at: position)
    return bytes
  }

  private var flags: EntryFlags {
    var flags = EntryFlags(
      rawValue: header.flags.rawValue & ~(EntryFlags.special.rawValue | EntryFlags.rows.rawValue))
    if form == .stub { flags.remove(.metadata) }
    if dropsID { flags.remove(.id) }
    if !extensions.isEmpty { flags.insert(.extensions) }
    if !rows.isEmpty { flags.insert(.rows) }
    if form == .parts || form == .system { flags.insert(.parts) }
    if form == .stub || form == .system { flags.insert(.stub) }
    return flags
  }
}
