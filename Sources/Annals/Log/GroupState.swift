internal import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What appends are decided by: the heads in memory, and the entries inside the transaction that would add to them.
struct GroupState: AppendState, ~Escapable {
  let reader: StoreReader
  private let heads: StreamHeads
  /// The parts of the call.
  let parts: [AppendRequest.Part]
  /// By part, where its stream ends.
  let ends: [StreamEnd?]
  let window: UInt64
  /// Whether entries of any stream have moved to another one.
  let hasMoved: Bool

  @_lifetime(copy reader)
  init(
    reader: StoreReader, heads: StreamHeads, parts: [AppendRequest.Part], ends: [StreamEnd?], window: UInt64,
    hasMoved: Bool
  ) {
    self.reader = reader
    self.heads = heads
    self.parts = parts
    self.ends = ends
    self.window = window
    self.hasMoved = hasMoved
  }

  func moved(ofPart index: Int) throws(AnnalsError) -> [StreamName] {
    hasMoved ? try reader.movedStreams(from: parts[index].stream) : []
  }

  func end(ofPart index: Int) -> StreamEnd? { ends[index] }

  func end(of name: StreamName) throws(AnnalsError) -> StreamEnd? {
    try heads.withTable { (table) throws(AnnalsError) in
      let place = try AppendGroup.look(up: name, StreamHash(name), reader, &table)
      return place.id == 0 ? nil : table.slots.end(place.slot)
    }
  }

  func identities(
    of end: StreamEnd, _ revisions: ClosedRange<UInt64>
  ) throws(AnnalsError) -> [EntryIdentity] {
    let head = Head(id: end.id, revision: end.revision, last: end.last, levels: [], newestID: end.newestID)
    var touched = 0
    return try reader.walk(revisions, of: head, touched: &touched) { (bytes, header, position) in
      EntryIdentity(
        position: position, revision: header.revision,
        id: header.flags.contains(.id) ? UUID(bytes, at: header.id.lowerBound) : nil)
    }
  }
}
