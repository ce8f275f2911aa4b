package import AnnalsCoding
internal import AnnalsFormat

extension EventLog {
  /// Whether the changes of the store come from the log of a cluster alone.
  package func belongsToCluster() throws(AnnalsError) -> Bool {
    try read { (snapshot) throws(AnnalsError) in try snapshot.reader.meta().requires.contains(.cluster) }
  }
}
