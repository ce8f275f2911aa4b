package import AnnalsCoding
package import AnnalsFormat
package import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension WriteTransaction {
  /// Removes the mark of a feature, so that programs that do not know it can use the store.
  package mutating func release(
    _ feature: StoreMeta.Requirement, _ tables: StoreTables
  ) throws(AnnalsError) {
    // The log's id is not among the rows read or written.
    var meta = StoreMeta(log: UUID())
    try StoreReader(view, tables).read(.requires, into: &meta)
    meta.requires.removeAll { $0 == feature }
    try put(meta.value(of: .requires), StoreMeta.Name.requires.rawValue, in: tables.meta)
  }
}
