package import AnnalsCoding
package import AnnalsFormat

extension StoreReader {
  /// The erasure that was begun and may not be complete; `nil` if there is none.
  package func unfinishedErasure() throws(AnnalsError) -> ErasingRow? {
    try row(ErasingRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in try ErasingRow(bytes) }
  }
}
