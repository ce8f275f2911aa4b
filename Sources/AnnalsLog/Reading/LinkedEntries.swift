internal import AnnalsCoding
internal import AnnalsFormat

/// Entries that lead back to each other by links: those of a stream, or those with a tag.
///
/// Each has an ordinal, counted from 0, and a link to the entry 4^l before it for each l with 4^l dividing
/// the ordinal, as docs/format.md describes. The ordinal of an entry of a stream is its revision.
protocol LinkedEntries {
  /// The ordinal of the newest entry.
  var newestOrdinal: UInt64 { get }
  /// The position of the first entry.
  var firstPosition: UInt64 { get }
  /// The number of levels above 0 whose newest entry is known.
  var levelCount: Int { get }

  /// The position of the newest entry whose ordinal is a multiple of 4^`level`.
  func newestPosition(atLevel level: Int) -> UInt64

  /// Checks that an entry is the one with an ordinal.
  ///
  /// - Returns: The offset of its links.
  /// - Throws: ``AnnalsError`` with code `damaged` if it is another one.
  func links(
    of ordinal: UInt64, _ header: EntryHeader, _ bytes: Span<UInt8>, at position: Position,
    _ reader: StoreReader
  ) throws(AnnalsError) -> Int

  /// The name of the entry with an ordinal, for an error.
  func name(of ordinal: UInt64) -> String
}

extension Head: LinkedEntries {
  var newestOrdinal: UInt64 { revision.rawValue }
  var firstPosition: UInt64 { id.rawValue }
  var levelCount: Int { levels.count }

  func newestPosition(atLevel level: Int) -> UInt64 { newest(atLevel: level).rawValue }

  func links(
    of ordinal: UInt64, _ header: EntryHeader, _ bytes: Span<UInt8>, at position: Position,
    _ reader: StoreReader
  ) throws(AnnalsError) -> Int {
    try reader.check(header, at: position, is: Revision(ordinal), of: id)
    return header.links.lowerBound
  }

  func name(of ordinal: UInt64) -> String { "revision \(ordinal) of the stream that begins at \(id)" }
}

extension TagChain: LinkedEntries {
  var newestOrdinal: UInt64 { head.ordinal }
  var firstPosition: UInt64 { head.chain.first }
  var levelCount: Int { head.levels.count }

  func newestPosition(atLevel level: Int) -> UInt64 { head.newest(atLevel: level) }

  func links(
    of ordinal: UInt64, _ header: EntryHeader, _ bytes: Span<UInt8>, at position: Position,
    _ reader: StoreReader
  ) throws(AnnalsError) -> Int {
    try stored(in: bytes, header, at: Place(ordinal: ordinal, position: position.rawValue)).links
  }

  func name(of ordinal: UInt64) -> String { "entry \(ordinal) with the tag '\(tag)'" }
}
