package import AnnalsCoding
package import AnnalsFormat
internal import LMDB
import Synchronization

/// Finds the heads of streams as they are in one snapshot: the newer of the snapshot's own rows and its tail
/// (docs/durability.md).
package final class SnapshotHeads: Sendable {
  private let shared: StreamHeads
  /// The snapshot's own tail, where the shared one has moved on: read once, and only then.
  private let own = Mutex<StreamHeads?>(nil)

  init(_ shared: StreamHeads) {
    self.shared = shared
  }

  /// The head of the stream called `name`; `nil` if it holds no entry.
  func head(of name: StreamName, _ reader: StoreReader) throws(AnnalsError) -> Head? {
    let end = try reader.end()
    guard end.checkpoint < end.last else { return try reader.storedHead(of: name) }
    let hash = StreamHash(name)
    let found = try ask(end, reader) { $0.find(hash, in: end) }
    if case .unknown = found {
      guard let id = try reader.storedID(of: name) else { return nil }
      return try head(ask(end, reader) { $0.find(id: id, in: end) }, id, reader)
    }
    return try head(found, nil, reader)
  }

  /// The head of the stream whose first entry is at `id`, and in the snapshot.
  package func head(id: Position, _ reader: StoreReader) throws(AnnalsError) -> Head? {
    let end = try reader.end()
    guard end.checkpoint < end.last else { return try reader.storedHead(id: id) }
    return try head(ask(end, reader) { $0.find(id: id, in: end) }, id, reader)
  }

  /// Returns the first positions of the streams that began in the snapshot's tail. Some may have a row in
  /// `streams` already.
  package func births(_ reader: StoreReader) throws(AnnalsError) -> [Position] {
    let end = try reader.end()
    guard end.checkpoint < end.last else { return [] }
    return try ask(end, reader) { $0.births(in: end) }.map { Position($0) }
  }

  private func head(
    _ found: HeadTable.Found, _ id: Position?, _ reader: StoreReader
  ) throws(AnnalsError) -> Head? {
    switch found {
    case .notYet: return nil
    case .unknown: return try id.map { (id) throws(AnnalsError) in try reader.storedHead(id: id) }
    case .row(let id): return try reader.storedHead(id: id)
    case .head(let head): return head
    case .partial(let head):
      let row = try reader.storedHead(id: head.id)
      try row.mustNotBeNewer(than: head.revision, at: head.last)
      return head.head(with: row)
    case .entry(let id, let position):
      let header = try reader.header(try reader.bytes(at: position), at: position)
      try reader.check(header, at: position, is: header.revision, of: id)
      // Whether an older entry has an id is unknown here, so the newest is assumed to have one: it is then
      // searched.
      return Head(
        id: id, revision: header.revision, last: position, levels: [], newestID: header.revision)
    }
  }

  /// Asks heads that know the snapshot's tail: the shared ones, or otherwise its own.
  private func ask<Answer: Sendable>(
    _ end: SnapshotEnd, _ reader: StoreReader, _ question: (inout HeadTable) -> Answer
  ) throws(AnnalsError) -> Answer {
    if let own = own.withLock({ $0 }) { return own.withTable { question(&$0) } }
    // Both in one step, because a merge may end in between and remove the tail.
    func askShared() -> Answer? {
      shared.withTable { $0.covers(end) ? question(&$0) : nil }
    }
    if let answer = askShared() { return answer }
    try shared.follow(end, reader)
    if let answer = askShared() { return answer }
    let heads = StreamHeads(checkpoint: end.checkpoint, limit: 0)
    try heads.follow(end, reader)
    own.withLock { $0 = heads }
    return heads.withTable { question(&$0) }
  }
}
