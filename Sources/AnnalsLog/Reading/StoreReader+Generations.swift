package import AnnalsCoding
package import AnnalsFormat
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

extension StoreReader {
  /// Returns the state of the generation, which decides its permitted uses.
  package func state() throws(AnnalsError) -> StoreMeta.State {
    var meta = StoreMeta(log: UUID())
    try read(.state, into: &meta)
    return meta.state
  }

  /// The generation's number.
  func generation() throws(AnnalsError) -> UInt64 {
    var meta = StoreMeta(log: UUID())
    try read(.generation, into: &meta)
    return meta.generation
  }

  /// The generation that a pass made this one of; `nil` if there is none to go back to.
  package func predecessor() throws(AnnalsError) -> PredecessorRow? {
    try row(PredecessorRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try PredecessorRow(bytes)
    }
  }

  /// The highest number that a generation of this log has ever had; the next one has one more.
  package func newestGeneration() throws(AnnalsError) -> UInt64 {
    let own = try generation()
    let row = try row(NewestRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try NewestRow(bytes)
    }
    return max(row?.generation ?? own, own)
  }
}
