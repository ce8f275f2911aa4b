package import AnnalsCoding
package import AnnalsFormat
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

extension StoreReader {
  /// The row that the index of ids has for an entry; `nil` for an entry without an id.
  package func idRow(_ bytes: Span<UInt8>, at position: Position) throws(AnnalsError) -> IDRow? {
    let header = try header(bytes, at: position)
    guard header.flags.contains(.id) else { return nil }
    return IDRow(
      stream: header.stream, id: UUID(bytes, at: header.id.lowerBound), revision: header.revision)
  }

  /// Whether a stream may have several entries with one id.
  func mayRepeatIDs() throws(AnnalsError) -> Bool {
    var meta = StoreMeta(log: UUID())
    try read(.window, into: &meta)
    // Streams that a pass puts together may have had the same id.
    return meta.window == StoreMeta.widest ? try hasMoved() : true
  }

  /// Calls `body` with each entry of a stream that has an id, from a revision back to `oldest`, until it
  /// returns `false`.
  ///
  /// - Parameter position: The position of the entry with `revision`.
  func eachID(
    of stream: Position, back revision: Revision, at position: Position, through oldest: Revision,
    _ body: (IDRow, Position) -> Bool
  ) throws(AnnalsError) {
    var (revision, position) = (revision.rawValue, position)
    while true {
      let bytes = try bytes(at: position)
      let header = try header(bytes, at: position)
      try check(header, at: position, is: Revision(revision), of: stream)
      if let row = try idRow(bytes, at: position), !body(row, position) { return }
      guard revision > oldest.rawValue else { return }
      position = try linked(header, level: 0, from: position, in: bytes)
      revision -= 1
    }
  }
}
