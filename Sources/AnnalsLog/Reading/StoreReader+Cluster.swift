package import AnnalsCoding
internal import AnnalsFormat

extension StoreReader {
  /// Returns the generation in which this machine applied an erasure that a shared log had; `nil` if it is
  /// not noted.
  package func generation(erasedBy position: Position) throws(AnnalsError) -> UInt64? {
    try row(ClusterRow.name(erasedBy: position), in: tables.meta) { (bytes) throws(FormatFailure) in
      var reader = ByteReader(bytes)
      let number = try reader.number(in: FormatRange.generations)
      try reader.finish()
      return number
    }
  }

  /// Returns the rows that the store has as a member of a cluster.
  package func clusterRows() throws(AnnalsError) -> [(name: String, value: [UInt8])] {
    var names: [String] = []
    try eachMetaName(beginningWith: ClusterRow.prefix) { names.append($0) }
    var rows: [(name: String, value: [UInt8])] = []
    for name in names {
      let value = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in bytes.copied }
      if let value { rows.append((name, value)) }
    }
    return rows
  }
}
