package import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

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
  package func namelessIDs() throws(AnnalsError) -> [Position] {
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
