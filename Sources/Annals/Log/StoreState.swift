#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What appends are decided by: the store inside the transaction that would write them.
struct StoreState: AppendState, ~Escapable {
  let reader: StoreReader
  let window: UInt64

  @_lifetime(copy reader)
  init(_ reader: StoreReader, window: UInt64) {
    self.reader = reader
    self.window = window
  }

  func head(of stream: StreamName) throws(AnnalsError) -> Head? {
    try reader.head(of: stream)
  }

  func identities(of head: Head, _ revisions: ClosedRange<UInt64>) throws(AnnalsError) -> [EntryIdentity] {
    var touched = 0
    return try reader.walk(revisions, of: head, touched: &touched) { (bytes, header, position) in
      EntryIdentity(
        position: position, revision: header.revision,
        id: header.flags.contains(.id) ? UUID(bytes, at: header.id.lowerBound) : nil)
    }
  }
}
