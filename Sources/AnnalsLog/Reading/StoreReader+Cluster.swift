package import AnnalsCoding
package import AnnalsFormat

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

  /// Returns the program for which the machine waits to apply more; `nil` for none.
  package func programNeed() throws(AnnalsError) -> ProgramNeed? {
    try row(ProgramNeed.name, in: tables.meta) { (bytes) throws(FormatFailure) in try ProgramNeed(bytes) }
  }

  /// Returns the sequence of the last message that the store has applied; `nil` for a store of no cluster.
  package func appliedSequence() throws(AnnalsError) -> UInt64? {
    // The first number of the row.
    try row(ClusterRow.prefix, in: tables.meta) { (bytes) throws(FormatFailure) in
      var reader = ByteReader(bytes)
      return try reader.number()
    }
  }

  /// Returns the rows that the store has as a member of a cluster, or those with another prefix.
  package func clusterRows(prefix: String = ClusterRow.prefix) throws(AnnalsError)
    -> [(name: String, value: [UInt8])]
  {
    var names: [String] = []
    try eachMetaName(beginningWith: prefix) { names.append($0) }
    var rows: [(name: String, value: [UInt8])] = []
    for name in names {
      let value = try row(name, in: tables.meta) { (bytes) throws(FormatFailure) in bytes.copied }
      if let value { rows.append((name, value)) }
    }
    return rows
  }
}
