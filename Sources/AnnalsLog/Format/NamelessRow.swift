package import AnnalsCoding
internal import LMDB

/// A row of `meta` for a stream all of whose events were erased at once: the next pass removes its name.
///
/// The row's name contains the stream's id, and its value is the revision of the stream's newest entry by
/// then. A later entry keeps the name.
package enum NamelessRow {
  /// The prefix of the rows' names.
  static let prefix = "nameless "

  /// Returns the name of the row of a stream.
  static func name(_ id: Position) -> String { prefix + RowNumber.text(id.rawValue) }

  /// Returns the id in the name of a row; `nil` if it is no such name.
  static func id(inName name: String) -> Position? {
    guard name.hasPrefix(prefix) else { return nil }
    return RowNumber.position(name.dropFirst(prefix.count)).map { Position($0) }
  }

  /// Revision (varint).
  static func encoded(_ revision: Revision) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: revision.rawValue)
    return bytes
  }

  static func revision(_ bytes: Span<UInt8>) throws(FormatFailure) -> Revision {
    var reader = ByteReader(bytes)
    let revision = Revision(try reader.number())
    try reader.finish()
    return revision
  }
}

extension StoreReader {
  /// The revision up to which the events of a stream were erased with its name; `nil` if they were not.
  ///
  /// - Complexity: One look-up.
  func namelessRevision(of id: Position) throws(AnnalsError) -> Revision? {
    try row(NamelessRow.name(id), in: tables.meta) { (bytes) throws(FormatFailure) in
      try NamelessRow.revision(bytes)
    }
  }

  /// The name to show for an erased entry of a stream, whose own name may have been erased with it.
  package func shownName(
    _ name: StreamName, of id: Position, at revision: Revision
  ) throws(AnnalsError) -> StreamName {
    guard let last = try namelessRevision(of: id), revision <= last else { return name }
    return SystemEntry.placeholder(of: id)
  }

  /// The ids of the streams with such a row.
  func namelessIDs() throws(AnnalsError) -> [Position] {
    var ids: [Position] = []
    try eachMetaName(beginningWith: NamelessRow.prefix) { name in
      if let id = NamelessRow.id(inName: name) { ids.append(id) }
    }
    return ids
  }
}

extension LogSnapshot {
  /// The ids of the streams whose names were erased with all of their events, and which have no later one.
  package func namelessStreams() throws(AnnalsError) -> Set<UInt64> {
    var streams: Set<UInt64> = []
    for id in try reader.namelessIDs() {
      guard let head = try heads.head(id: id, reader), try head.revision == reader.namelessRevision(of: id),
        // Earlier libraries let callers have such names.
        try reader.storedID(of: SystemEntry.placeholder(of: id)) ?? id == id
      else { continue }
      streams.insert(id.rawValue)
    }
    return streams
  }
}
