internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

extension AppendGroup {
  /// Makes encrypted fields known to all programs before the first one.
  mutating func beginPersonalFields(in transaction: inout WriteTransaction) throws(AnnalsError) {
    if kinds.hasPersonalFields { return }
    try raiseEpoch()
    kinds.hasPersonalFields = true
    try transaction.require(.personal, tables)
  }
}
