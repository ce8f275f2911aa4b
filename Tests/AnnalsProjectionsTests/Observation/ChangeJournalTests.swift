import Foundation
import LMDB
import Observation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// The changes that a view's file keeps for observers.
struct ChangeJournalTests {
  @Test("the journal is bounded, and one batch that changes more than it holds leaves one mark")
  func journal() throws {
    let file = try LibraryFile()
    let place = try TemporaryDirectory()
    let directory = try Directory.open(path: place.url.path)
    let locks = EnvironmentLocks(
      open: try FileLock("open", in: directory), queue: try FileLock("queue", in: directory),
      write: try FileLock("write", in: directory))
    let environment = try Environment.open(
      "changes.mdb", in: directory, tables: [TableDefinition("changes", integerKeys: true)], locks: locks,
      options: EnvironmentOptions(create: true))
    let table = environment.table("changes")
    func note(_ numbers: Range<Int>, at position: Position) throws {
      try file.change { rows in
        let staged = RowStaging(file.outline, Library.tables)
        var room = ProjectionRows(staged, rows.source)
        for number in numbers { try room.put(Library.Shelf(name: "s\(number)", books: 1)) }
        var transaction = try environment.beginWrite(durability: .none)
        try ChangeJournal.note(staged, at: position, in: table, isObserved: true, &transaction)
        try transaction.commit()
      }
    }
    func read(after seen: UInt64) throws -> [ChangeJournal.Change]? {
      let transaction = try environment.beginRead()
      return try ChangeJournal.changes(after: seen, in: table, transaction.view, of: "journal")
    }
    #expect(try read(after: 0) == [])
    try note(0..<3, at: 7)
    #expect(try read(after: 0)?.map(\.number) == [1, 2, 3])
    #expect(try read(after: 1)?.map(\.position) == [7, 7])
    #expect(try read(after: 4) == nil)
    try note(3..<10_000, at: 8)
    #expect(try read(after: 0)?.count == ChangeJournal.page)
    try note(10_000..<10_001, at: 9)
    #expect(try read(after: 0) == nil)
    #expect(try read(after: 1)?.first?.number == 2)
    try note(0..<10_001, at: 10)
    #expect(try read(after: 10_001) == nil)
    #expect(try read(after: 10_002) == [])
    try note(0..<1, at: 11)
    #expect(try read(after: 10_002)?.map(\.kind) == [.put])
  }
}
