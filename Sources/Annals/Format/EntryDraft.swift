#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An entry about to be stored: the one author of the layout that ``EntryHeader`` reads.
struct EntryDraft {
  /// How the entry names its stream.
  enum Stream {
    /// The first entry of a stream carries its name.
    case first(StreamName)
    /// A later entry carries the position of the first.
    case later(Position)
  }

  var kind: UInt32
  var time: Int64
  var stream: Stream
  var revision: Revision
  /// Distances in positions, one a level.
  var links = EntryLinks()
  var isEndOfCall = false
  var id: UUID?
  /// A CBOR map, or nothing.
  var metadata: [UInt8] = []
  /// The rows of `schemas` and `kinds` that are new with the entry, encoded; nothing where none are.
  var rows: [UInt8] = []
  var body: EntryBody

  /// How many bytes the entry has.
  var count: Int {
    var count = EntryHeader.checksum.upperBound + varintCount(UInt64(body.isParts ? 0 : kind)) + 8
    switch stream {
    case .first(let name): count += counted(name.text.utf8.count)
    case .later(let id): count += varintCount(id.rawValue)
    }
    count += varintCount(revision.rawValue)
    for level in 0..<links.count { count += varintCount(links[level]) }
    if id != nil { count += 16 }
    if !metadata.isEmpty { count += counted(metadata.count) }
    return count + rows.count + body.count
  }

  private func counted(_ count: Int) -> Int {
    varintCount(UInt64(count)) + count
  }

  /// Writes the entry's bytes, as they are stored at `position`, to `bytes`, which has ``count`` of them.
  @inline(__always)
  func write(to bytes: inout MutableSpan<UInt8>, at position: Position) {
    var writer = ByteWriter(&bytes)
    writer.write(EntryHeader.format)
    writer.write(littleEndian: flags.rawValue)
    writer.write(littleEndian: UInt32(0))
    writer.write(varint: UInt64(body.isParts ? 0 : kind))
    writer.write(littleEndian: time)
    switch stream {
    case .first(let name): writer.write(counted: name.text.utf8.span)
    case .later(let id): writer.write(varint: id.rawValue)
    }
    writer.write(varint: revision.rawValue)
    for level in 0..<links.count { writer.write(varint: links[level]) }
    if let id { id.withBytes { writer.write($0) } }
    if !metadata.isEmpty { writer.write(counted: metadata.span) }
    writer.write(rows.span)
    switch body {
    case .payload(let payload): writer.write(payload.span)
    default: writer.write(body.encoded().span)
    }
    let written = writer.offset
    precondition(written == bytes.count, "a layout shorter than its count")
    let checksum = EntryHeader.checksum(of: bytes.span, at: position)
    for (index, place) in EntryHeader.checksum.enumerated() {
      bytes[place] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
    }
  }

  /// The entry's bytes, as they are stored at `position`.
  func encoded(at position: Position) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    write(to: &span, at: position)
    return bytes
  }

  private var flags: EntryFlags {
    var flags: EntryFlags = []
    if case .first = stream { flags.insert(.first) }
    if isEndOfCall { flags.insert(.endOfCall) }
    if id != nil { flags.insert(.id) }
    if !metadata.isEmpty { flags.insert(.metadata) }
    if !rows.isEmpty { flags.insert(.rows) }
    if body.isParts { flags.insert(.parts) }
    if case .stub = body { flags.insert(.stub) }
    return flags
  }
}
