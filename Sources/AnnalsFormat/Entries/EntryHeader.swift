public import AnnalsCoding

/// The header of an entry, as places in the entry's bytes.
///
/// Reading a header copies nothing and checks every length, so that the places can be used without a check.
@usableFromInline package struct EntryHeader: Sendable {
  /// The format of entries that this library writes and reads.
  @inlinable package static var format: UInt8 { LayoutFormat.newest }
  /// The place of the checksum: after the format byte and the flags.
  @inlinable package static var checksum: Range<Int> { 3..<7 }

  /// Which parts there are.
  @usableFromInline package let flags: EntryFlags
  /// The kind of the payload; 0 where parts have their own.
  @usableFromInline package let kind: UInt32
  /// The time of the event, in microseconds since 1970.
  @usableFromInline package let time: Int64
  /// The position of the stream's first entry: the entry's own where ``EntryFlags/first`` is set.
  @usableFromInline package let stream: Position
  /// The place in the stream.
  @usableFromInline package let revision: Revision
  // The offsets from which all places follow: four bytes each, because a scan passes the header on with every
  // entry.
  @usableFromInline let nameStart, linksStart, idStart, metadataStart, extensionsStart, rowsStart: UInt32
  @usableFromInline package let bodyStart, end: UInt32

  /// Reads the header of the entry stored at `position`, after comparing its checksum.
  ///
  /// - Throws: `FormatFailure`: `.checksum` before anything else, `.laterFormat` if the format or a flag is
  ///   not known, `.unknownFeature` for an extension that must be known.
  @inlinable
  @inline(__always)
  package init(_ bytes: Span<UInt8>, at position: Position) throws(FormatFailure) {
    guard bytes.count >= 18 else { throw FormatFailure(.tooShort, at: bytes.count) }
    // Every offset then fits into four bytes.
    guard bytes.count <= UInt32.max else { throw FormatFailure(.length, at: 0) }
    func offset(_ reader: borrowing ByteReader) -> UInt32 { UInt32(truncatingIfNeeded: reader.offset) }
    var reader = ByteReader(bytes, from: 1)
    let rawFlags = try reader.littleEndian(UInt16.self)
    guard try reader.littleEndian(UInt32.self) == Self.checksum(of: bytes, at: position) else {
      throw FormatFailure(.checksum, at: Self.checksum.lowerBound)
    }
    guard bytes[0] == Self.format else { throw FormatFailure(.laterFormat, at: 0) }
    flags = EntryFlags(rawValue: rawFlags)
    guard flags.isSubset(of: .known) else { throw FormatFailure(.laterFormat, at: 1) }
    kind = try reader.varint(as: UInt32.self)
    guard kind <= KindRow.maximum else { throw FormatFailure(.value, at: 7) }
    time = try reader.littleEndian(Int64.self)
    if flags.contains(.first) {
      nameStart = UInt32(truncatingIfNeeded: try reader.countedRange().lowerBound)
      stream = position
    } else {
      nameStart = 0
      let start = reader.offset
      stream = Position(try reader.varint())
      guard stream < position, stream.rawValue > 0 else { throw FormatFailure(.link, at: start) }
    }
    let revisionStart = reader.offset
    revision = Revision(try reader.varint())
    // Each entry of the stream before it has a position of its own.
    guard (revision.rawValue == 0) == flags.contains(.first), position.rawValue > 0,
      revision.rawValue <= position.rawValue - stream.rawValue
    else {
      throw FormatFailure(.value, at: revisionStart)
    }
    linksStart = offset(reader)
    for _ in 0..<Head.levels(dividing: revision) {
      let start = reader.offset
      let distance = try reader.varint()
      guard distance > 0, distance <= position.rawValue - stream.rawValue else {
        throw FormatFailure(.link, at: start)
      }
    }
    idStart = offset(reader)
    if flags.contains(.id) { _ = try reader.range(count: 16) }
    metadataStart =
      flags.contains(.metadata)
      ? UInt32(truncatingIfNeeded: try reader.countedRange().lowerBound) : offset(reader)
    extensionsStart = offset(reader)
    if flags.contains(.extensions) { try Self.passExtensions(&reader) }
    rowsStart = offset(reader)
    if flags.contains(.rows) { try EntryRows.pass(&reader) }
    bodyStart = offset(reader)
    end = UInt32(truncatingIfNeeded: bytes.count)
    guard flags.contains(.parts) == (kind == 0) else { throw FormatFailure(.value, at: 7) }
  }

  /// Returns the stream of an entry, without any check; `nil` if it is the stream's first one.
  package static func likelyStream(of bytes: Span<UInt8>) -> Position? {
    do throws(FormatFailure) {
      var reader = ByteReader(bytes, from: 1)
      guard !EntryFlags(rawValue: try reader.littleEndian(UInt16.self)).contains(.first) else { return nil }
      reader = ByteReader(bytes, from: checksum.upperBound)
      _ = try reader.varint()
      _ = try reader.littleEndian(Int64.self)
      return Position(try reader.varint())
    } catch {
      return nil
    }
  }

  /// Returns the CRC-32C of every byte except the checksum's own four. The position is the seed, so that an
  /// entry in another's place is detected.
  @usableFromInline
  @inline(__always)
  package static func checksum(of bytes: Span<UInt8>, at position: Position) -> UInt32 {
    Checksum.crc32c(position.rawValue, bytes, without: checksum)
  }

  /// Skips the extensions; one with an even key would have to be known, and none is yet.
  @usableFromInline
  static func passExtensions(_ reader: inout ByteReader) throws(FormatFailure) {
    for _ in 0..<(try reader.varint()) {
      let start = reader.offset
      let key = try reader.varint()
      guard key % 2 == 1 else { throw FormatFailure(.unknownFeature, at: start) }
      _ = try reader.countedRange()
    }
  }
}

extension EntryHeader {
  /// The name of the stream, where ``EntryFlags/first`` is set.
  @inlinable package var name: Range<Int> {
    // The name is followed by the revision, which is 0 and takes one byte.
    flags.contains(.first) ? Int(nameStart)..<Int(linksStart) - 1 : 0..<0
  }
  /// The links, one varint a level.
  @inlinable package var links: Range<Int> { Int(linksStart)..<Int(idStart) }
  /// The id's 16 bytes, where ``EntryFlags/id`` is set.
  @inlinable package var id: Range<Int> { flags.contains(.id) ? Int(idStart)..<Int(idStart) + 16 : 0..<0 }
  /// The metadata's CBOR map, where ``EntryFlags/metadata`` is set.
  @inlinable package var metadata: Range<Int> { Int(metadataStart)..<Int(extensionsStart) }
  /// The offset of the count of extensions, if ``EntryFlags/extensions`` is set.
  @inlinable package var extensions: Int { Int(extensionsStart) }
  /// The offset of the count of rows, if ``EntryFlags/rows`` is set.
  @inlinable package var rows: Int { Int(rowsStart) }
  /// The payload, the parts, or the stub's reason.
  @inlinable package var body: Range<Int> { Int(bodyStart)..<Int(end) }

  /// The form of the body.
  package var form: EntryDraft.Form {
    if flags.contains(.otherBodies) { return .system }
    return flags.contains(.stub) ? .stub : flags.contains(.parts) ? .parts : .payload
  }

  /// The position of the entry's revision − 4^`level`; the header must have a link of that level.
  package func linked(level: Int, from position: Position, in bytes: Span<UInt8>) throws(FormatFailure)
    -> Position
  {
    var reader = ByteReader(bytes, from: links.lowerBound)
    for _ in 0..<level { _ = try reader.varint() }
    return Position(position.rawValue - (try reader.varint()))
  }
}
