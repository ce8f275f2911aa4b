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
  var links: [UInt64] = []
  var isEndOfCall = false
  /// 16 bytes, or none.
  var id: [UInt8]?
  /// A CBOR map, or nothing.
  var metadata: [UInt8] = []
  var rows: EntryRows?
  var body: EntryBody

  /// Puts the entry's bytes, as they are stored at `position`, in place of those in `bytes`.
  func encode(at position: Position, into bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(EntryHeader.format)
    bytes.append(littleEndian: flags.rawValue)
    bytes.append(littleEndian: UInt32(0))
    bytes.append(varint: UInt64(body.isParts ? 0 : kind))
    bytes.append(littleEndian: time)
    switch stream {
    case .first(let name): bytes.append(counted: name.text.utf8)
    case .later(let id): bytes.append(varint: id.rawValue)
    }
    bytes.append(varint: revision.rawValue)
    for link in links { bytes.append(varint: link) }
    if let id { bytes += id }
    if !metadata.isEmpty { bytes.append(counted: metadata) }
    rows?.append(to: &bytes)
    body.append(to: &bytes)
    let checksum = EntryHeader.checksum(of: bytes.span, at: position)
    for (index, place) in EntryHeader.checksum.enumerated() {
      bytes[place] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
    }
  }

  private var flags: EntryFlags {
    var flags: EntryFlags = []
    if case .first = stream { flags.insert(.first) }
    if isEndOfCall { flags.insert(.endOfCall) }
    if id != nil { flags.insert(.id) }
    if !metadata.isEmpty { flags.insert(.metadata) }
    if rows != nil { flags.insert(.rows) }
    if body.isParts { flags.insert(.parts) }
    if case .stub = body { flags.insert(.stub) }
    return flags
  }
}
