package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema

extension StoreReader {
  /// Whether every value is there that `stage`, which leads to `version`, computes from the whole log.
  package func suffices(for stage: StageOutline, to version: SchemaVersion) throws(AnnalsError) -> Bool {
    if stage.hasContext, try table(.keyed, of: version) == nil, try context(of: version) == nil {
      return false
    }
    if stage.hasFold, try table(.groups, of: version) == nil { return false }
    return true
  }
}

extension ContextTableRow {
  /// Returns the table, whose chunks are read from the generation of the log that is in use.
  func table(in core: LogCore) -> ContextTable {
    ContextTable(firstKeys: firstKeys) { (index) throws(AnnalsError) in
      try core.generation.read { (reader) throws(AnnalsError) in
        try reader.chunk(index, of: self)
      }
    }
  }
}
