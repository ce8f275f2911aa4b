import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import LMDB

/// Rows about the ends of streams, and of the log, that contradict its entries.
extension BadRowTests {
  @Test func `a head that leads past the end of the log refuses appends to its stream`() async throws {
    let place = try TemporaryStore()
    try await place.open().append([.placed(1)], to: "a")
    let head = Head(id: 1, revision: 1, last: 100, levels: [], newestID: nil)
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      let row = Row.seal(head.encoded(), key: Row.key(1))
      try transaction.put(row.span, forKey: 1, in: tables.heads)
    }
    let log = try place.open()
    let error = await #expect(throws: AnnalsError.self) { try await log.append([.placed(2)], to: "a") }
    #expect(error?.code == .damaged)
    #expect(error?.details.table == "heads")
  }

  /// An entry with a correct checksum and the given values.
  private func entry(
    at position: Position, stream: UInt64, revision: Revision, link: UInt64, id: UUID? = nil
  ) -> [UInt8] {
    let (nothing, body): ([UInt8], [UInt8]) = ([], [0xa0])
    var draft = EntryDraft(
      kind: 1, time: 0, name: nothing.span, metadata: nothing.span, rows: nothing.span, body: body.span)
    draft.stream = stream
    draft.revision = revision
    for _ in 0..<Head.levels(dividing: revision) { draft.links.append(link) }
    draft.isEndOfCall = true
    draft.id = id
    return draft.encoded(at: position)
  }

  @Test(arguments: [1, 2, 5, .max] as [UInt64])
  func `an entry of the tail that is not its stream's next one is damage, not the end of the process`(
    revision: UInt64
  ) async throws {
    let place = try TemporaryStore()
    for number in 1...3 { try await place.open().append([.placed(number)], to: "a") }
    let next = entry(at: 4, stream: 1, revision: 3, link: 1, id: UUID())
    let wrong = entry(at: 5, stream: 1, revision: Revision(revision), link: 1, id: UUID())
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      try transaction.append(next.span, forKey: 4, in: tables.entries)
      try transaction.append(wrong.span, forKey: 5, in: tables.entries)
    }
    let log = try place.open()
    for _ in 0..<2 {
      let error = await #expect(throws: AnnalsError.self) { try await log.append([.placed(1)], to: "a") }
      #expect(error?.code == .damaged)
    }
    #expect(throws: AnnalsError.self) {
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.revision(of: "a") }
    }
    #expect(try !EventLog.verify(place.url).isClean)
  }

  @Test func `a row that knows more than the tail refuses appends to its stream`() async throws {
    let place = try TemporaryStore()
    for _ in 1...3 { try await place.open().append([.placed(1)], to: "a") }
    let bytes = entry(at: 4, stream: 1, revision: 3, link: 1)
    let head = Head(id: 1, revision: 900, last: 1_000_000_000, levels: [1, 1, 1, 1], newestID: 800)
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      try transaction.append(bytes.span, forKey: 4, in: tables.entries)
      try transaction.put(Row.seal(head.encoded(), key: Row.key(1)).span, forKey: 1, in: tables.heads)
    }
    let log = try place.open()
    let error = await #expect(throws: AnnalsError.self) { try await log.append([.placed(1)], to: "a") }
    #expect(error?.code == .damaged && error?.details.table == "heads")
    // Other streams go on, also when a merge comes to the row.
    for _ in 0..<40 { try await log.append([.placed(1)], to: "b") }
    _ = consume log
    // Nor does an orderly end pass the head that could not be written.
    #expect(try place.open().info().tailLength == 41)
  }

  @Test(arguments: [(.max, 4), (7, 4), (3, .max)] as [(checkpoint: UInt64, last: UInt64)])
  func `a checkpoint or an end of the log beyond all logs is damage`(checkpoint: UInt64, last: UInt64)
    async throws
  {
    let place = try TemporaryStore()
    for _ in 1...3 { try await place.open().append([.placed(1)], to: "a") }
    let bytes = entry(at: Position(last), stream: 1, revision: 3, link: 1)
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      try transaction.append(bytes.span, forKey: last, in: tables.entries)
      var value: [UInt8] = []
      value.append(varint: checkpoint)
      let key = Array(StoreMeta.Name.checkpoint.rawValue.utf8)
      try transaction.put(Row.seal(value, key: key).span, forKey: key.span, in: tables.meta)
    }
    let error = await #expect(throws: AnnalsError.self) {
      try await place.open().append([.placed(1)], to: "a")
    }
    #expect(error?.code == .damaged)
    #expect(try !EventLog.verify(place.url).isClean)
  }

  @Test func `a merge that leads beyond the log is ignored`() async throws {
    let place = try TemporaryStore()
    try await place.open().append([.placed(1)], to: "a")
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      let key = Array(MergeRow.name.utf8)
      let row = Row.seal(MergeRow(position: 1 << 40, next: 0).encoded(), key: key)
      try transaction.put(row.span, forKey: key.span, in: tables.meta)
    }
    let log = try place.open()
    for _ in 0..<100 { try await log.append([.placed(1)], to: "a") }
    // Another thread sorts; when it is done, the next commits write.
    var info = try log.info()
    while info.tailLength + 1 >= info.entries, info.entries < 20_000 {
      try await log.append([.placed(1)], to: "a")
      try await Task.sleep(for: .milliseconds(1))
      info = try log.info()
    }
    #expect(info.tailLength + 1 < info.entries)
  }
}
