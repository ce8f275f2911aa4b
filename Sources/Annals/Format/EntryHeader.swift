/// What stands before the body of an entry, as places in the entry's bytes.
///
/// Reading a header copies nothing and checks every length, so that the places can be used without a check.
struct EntryHeader: Sendable {
  /// The format of entries that this library writes and reads.
  static let format: UInt8 = 1
  /// Where the checksum stands: behind the format byte and the flags.
  static let checksum = 3..<7

  /// Which parts there are.
  var flags: EntryFlags
  /// The kind of the payload; 0 where parts carry their own.
  var kind: UInt32
  /// When it was appended, in microseconds since 1970.
  var time: Int64
  /// The position of the stream's first entry: the entry's own where ``EntryFlags/first`` is set.
  var stream: Position
  /// The name of the stream, where ``EntryFlags/first`` is set.
  var name: Range<Int>
  /// The place in the stream.
  var revision: Revision
  /// The links, one varint a level.
  var links: Range<Int>
  /// The id's 16 bytes, where ``EntryFlags/id`` is set.
  var id: Range<Int>
  /// The metadata's CBOR map, where ``EntryFlags/metadata`` is set.
  var metadata: Range<Int>
  /// Where the count of extensions stands, where ``EntryFlags/extensions`` is set.
  var extensions: Int
  /// Where the count of rows stands, where ``EntryFlags/rows`` is set.
  var rows: Int
  /// The payload, the parts, or the stub's reason.
  var body: Range<Int>

  /// Reads the header of the entry stored at `position`, after comparing its checksum.
  ///
  /// - Throws: `FormatFailure`: `.checksum` before anything else, `.laterFormat` where the format or a flag is not
  ///   known, `.unknownFeature` for an extension that must be known.
  @inline(__always)
  init(_ bytes: Span<UInt8>, at position: Position) throws(FormatFailure) {
    guard bytes.count >= 18 else { throw FormatFailure(.tooShort, at: bytes.count) }
    var reader = ByteReader(bytes, from: 1)
    let rawFlags = try reader.littleEndian(UInt16.self)
    guard try reader.littleEndian(UInt32.self) == Self.checksum(of: bytes, at: position) else {
      throw FormatFailure(.checksum, at: Self.checksum.lowerBound)
    }
    guard bytes[0] == Self.format else { throw FormatFailure(.laterFormat, at: 0) }
    flags = EntryFlags(rawValue: rawFlags)
    guard flags.isSubset(of: .known) else { throw FormatFailure(.laterFormat, at: 1) }
    kind = try reader.varint(as: UInt32.self)
    time = try reader.littleEndian(Int64.self)
    name = 0..<0
    if flags.contains(.first) {
      name = try reader.countedRange()
      stream = position
    } else {
      let start = reader.offset
      stream = Position(try reader.varint())
      guard stream < position, stream.rawValue > 0 else { throw FormatFailure(.link, at: start) }
    }
    let revisionStart = reader.offset
    revision = Revision(try reader.varint())
    guard (revision.rawValue == 0) == flags.contains(.first) else {
      throw FormatFailure(.value, at: revisionStart)
    }
    let linksStart = reader.offset
    for _ in 0..<Head.levels(dividing: revision) {
      let start = reader.offset
      let distance = try reader.varint()
      guard distance > 0, distance <= position.rawValue - stream.rawValue else {
        throw FormatFailure(.link, at: start)
      }
    }
    links = linksStart..<reader.offset
    id = flags.contains(.id) ? try reader.range(count: 16) : 0..<0
    metadata = flags.contains(.metadata) ? try reader.countedRange() : 0..<0
    extensions = reader.offset
    if flags.contains(.extensions) { try Self.passExtensions(&reader) }
    rows = reader.offset
    if flags.contains(.rows) { try EntryRows.pass(&reader) }
    body = reader.offset..<bytes.count
    guard flags.contains(.parts) == (kind == 0) else { throw FormatFailure(.value, at: 7) }
  }

  /// The CRC-32C of every byte but the checksum's own four, seeded with the position, so that an entry that stands
  /// in another's place is noticed.
  @inline(__always)
  static func checksum(of bytes: Span<UInt8>, at position: Position) -> UInt32 {
    let before = Checksum.crc32c(
      bytes.extracting(0..<checksum.lowerBound), seed: Checksum.seed(position.rawValue))
    return Checksum.crc32c(bytes.extracting(checksum.upperBound..<bytes.count), seed: before)
  }

  /// Passes over the extensions; one with an even key would have to be known, and none is yet.
  private static func passExtensions(_ reader: inout ByteReader) throws(FormatFailure) {
    for _ in 0..<(try reader.varint()) {
      let start = reader.offset
      let key = try reader.varint()
      guard key % 2 == 1 else { throw FormatFailure(.unknownFeature, at: start) }
      _ = try reader.countedRange()
    }
  }
}

extension EntryHeader {
  /// The position of the entry's revision − 4^`level`; the header must have a link of that level.
  func linked(level: Int, from position: Position, in bytes: Span<UInt8>) throws(FormatFailure) -> Position {
    var reader = ByteReader(bytes, from: links.lowerBound)
    for _ in 0..<level { _ = try reader.varint() }
    return Position(position.rawValue - (try reader.varint()))
  }
}
