internal import AnnalsCoding
internal import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StoreReader {
  /// Returns the state of the generation, which decides its permitted uses.
  func state() throws(AnnalsError) -> StoreMeta.State {
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

  /// The pass that copies this generation, or has built it up to some position; `nil` if none is unfinished.
  func pass() throws(AnnalsError) -> PassRow? {
    try row(PassRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in try PassRow(bytes) }
  }

  /// Returns the tally of the pass that builds or has built this generation; an empty one if an older library
  /// has built it up to here.
  func passTally() throws(AnnalsError) -> PassTallyRow {
    let known = try row(PassTallyRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try PassTallyRow(bytes)
    }
    var tally = known ?? PassTallyRow()
    _ = try row(PassFieldsRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try PassFieldsRow.read(bytes, into: &tally.changes.removed)
    }
    return tally
  }

  /// The archive of the pass that copies this generation, or that builds it or has built it; `nil` if it has
  /// none.
  func passArchive() throws(AnnalsError) -> PassArchiveRow? {
    try row(PassArchiveRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try PassArchiveRow(bytes)
    }
  }

  /// The generation that a pass made this one of; `nil` if there is none to go back to.
  func predecessor() throws(AnnalsError) -> PredecessorRow? {
    try row(PredecessorRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try PredecessorRow(bytes)
    }
  }

  /// The highest number that a generation of this log has ever had; the next one has one more.
  func newestGeneration() throws(AnnalsError) -> UInt64 {
    let own = try generation()
    let row = try row(NewestRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try NewestRow(bytes)
    }
    return max(row?.generation ?? own, own)
  }
}
