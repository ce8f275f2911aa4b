package import AnnalsCoding
package import AnnalsFormat
package import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

extension WriteTransaction {
  /// Sets a row of a table with integer keys, with its checksum.
  package mutating func put(_ value: [UInt8], _ key: UInt64, in table: Table) throws(AnnalsError) {
    var row = value
    Row.seal(&row, key: key)
    do { try put(row.span, forKey: key, in: table) } catch { throw AnnalsError(error) }
  }

  /// Sets a row of `meta`, with its checksum.
  package mutating func put(_ value: [UInt8], _ name: String, in table: Table) throws(AnnalsError) {
    let key = Array(name.utf8)
    do { try put(Row.seal(value, key: key).span, forKey: key.span, in: table) } catch {
      throw AnnalsError(error)
    }
  }

  /// Removes a row of `meta`, if it is there.
  package mutating func remove(_ name: String, in table: Table) throws(AnnalsError) {
    let key = Array(name.utf8)
    do { try delete(key: key.span, in: table) } catch { throw AnnalsError(error) }
  }

  /// Marks a feature as one that a program must know to use the store.
  package mutating func require(_ feature: StoreMeta.Requirement, _ tables: StoreTables) throws(AnnalsError) {
    // The log's id is not among the rows read or written.
    var meta = StoreMeta(log: UUID())
    try StoreReader(view, tables).read(.requires, into: &meta)
    guard !meta.requires.contains(feature) else { return }
    meta.requires.append(feature)
    try put(meta.value(of: .requires), StoreMeta.Name.requires.rawValue, in: tables.meta)
  }
}
