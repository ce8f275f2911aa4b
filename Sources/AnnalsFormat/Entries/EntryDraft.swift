public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An entry about to be stored. It alone writes the layout that ``EntryHeader`` reads.
///
/// Its contents are borrowed, so that nothing is counted or copied on the way to the page.
@usableFromInline package struct EntryDraft: ~Escapable {
  /// The form of the body.
  @usableFromInline package enum Form {
    /// One payload of the entry's kind.
    case payload
    /// The parts of a split, each with its own kind.
    case parts
    /// The stub of a drop.
    case stub
    /// A change of the log itself, which has no kind.
    case system
  }

  @usableFromInline package var kind: UInt32
  @usableFromInline package var time: Int64
  /// The position of the stream's first entry; 0 in the first entry, which has the name.
  @usableFromInline package var stream: UInt64 = 0
  @usableFromInline package var revision: Revision = 0
  /// Distances in positions, one a level.
  @usableFromInline package var links = EntryLinks()
  @usableFromInline package var isEndOfCall = false
  @usableFromInline package var id: UUID?
  @usableFromInline package let form: Form
  @usableFromInline let name: Span<UInt8>
  @usableFromInline let metadata: Span<UInt8>
  @usableFromInline let rows: Span<UInt8>
  @usableFromInline let body: Span<UInt8>
  /// Count and extensions, or nothing.
  @usableFromInline package var extensions: Span<UInt8>

  /// Creates an entry from borrowed contents.
  ///
  /// - Parameters:
  ///   - name: The stream's name, which only its first entry has.
  ///   - metadata: A CBOR map, or nothing.
  ///   - rows: The rows of `schemas` and `kinds` that are new with the entry, or nothing.
  ///   - body: The body in the layout of ``EntryBody``.
  @_lifetime(copy name, copy metadata, copy rows, copy body)
  @inlinable @inline(__always)
  package init(
    kind: UInt32, time: Int64, name: Span<UInt8>, metadata: Span<UInt8>, rows: Span<UInt8>, body: Span<UInt8>,
    form: Form = .payload
  ) {
    self.kind = kind
    self.time = time
    self.form = form
    self.name = name
    self.metadata = metadata
    self.rows = rows
    self.body = body
    extensions = Span()
  }

  /// The size of the entry in bytes.
  @inlinable @inline(__always)
  package var count: Int {
    var count = EntryHeader.checksum.upperBound + varintCount(UInt64(form == .parts ? 0 : kind)) + 8
    count += stream == 0 ? counted(name.count) : varintCount(stream)
    count += varintCount(revision.rawValue)
    for level in 0..<links.count { count += varintCount(links[level]) }
    if id != nil { count += 16 }
    if !metadata.isEmpty { count += counted(metadata.count) }
    return count + extensions.count + rows.count + body.count
  }

  @inlinable @inline(__always)
  func counted(_ count: Int) -> Int {
    varintCount(UInt64(count)) + count
  }

  /// Writes the entry's bytes, as they are stored at `position`, to `bytes`, which has ``count`` of them.
  @inlinable @inline(__always)
  package func write(to bytes: inout MutableSpan<UInt8>, at position: Position) {
    var writer = ByteWriter(&bytes)
    writer.write(EntryHeader.format)
    writer.write(littleEndian: flags.rawValue)
    writer.write(littleEndian: UInt32(0))
    writer.write(varint: UInt64(form == .parts ? 0 : kind))
    writer.write(littleEndian: time)
    if stream == 0 { writer.write(counted: name) } else { writer.write(varint: stream) }
    writer.write(varint: revision.rawValue)
    for level in 0..<links.count { writer.write(varint: links[level]) }
    if let id { id.withBytes { writer.write($0) } }
    if !metadata.isEmpty { writer.write(counted: metadata) }
    if !extensions.isEmpty { writer.write(extensions) }
    writer.write(rows)
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

  @inlinable @inline(__always) var flags: EntryFlags {
    var flags: EntryFlags = []
    if stream == 0 { flags.insert(.first) }
    if isEndOfCall { flags.insert(.endOfCall) }
    if id != nil { flags.insert(.id) }
    if !metadata.isEmpty { flags.insert(.metadata) }
    if !extensions.isEmpty { flags.insert(.extensions) }
    if !rows.isEmpty { flags.insert(.rows) }
    if form == .parts || form == .system { flags.insert(.parts) }
    if form == .stub || form == .system { flags.insert(.stub) }
    return flags
  }
}
