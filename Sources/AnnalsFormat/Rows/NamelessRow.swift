package import AnnalsCoding

/// A row of `meta` for a stream all of whose events were erased at once: the next pass removes its name.
///
/// The row's name contains the stream's id, and its value is the revision of the stream's newest entry by
/// then. A later entry keeps the name.
package enum NamelessRow {
  /// The prefix of the rows' names.
  package static let prefix = "nameless "

  /// Returns the name of the row of a stream.
  package static func name(_ id: Position) -> String { prefix + RowNumber.text(id.rawValue) }

  /// Returns the id in the name of a row; `nil` if it is no such name.
  package static func id(inName name: String) -> Position? {
    guard name.hasPrefix(prefix) else { return nil }
    return RowNumber.position(name.dropFirst(prefix.count)).map { Position($0) }
  }

  /// Revision (varint).
  package static func encoded(_ revision: Revision) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: revision.rawValue)
    return bytes
  }

  package static func revision(_ bytes: Span<UInt8>) throws(FormatFailure) -> Revision {
    var reader = ByteReader(bytes)
    let revision = Revision(try reader.number())
    try reader.finish()
    return revision
  }
}
