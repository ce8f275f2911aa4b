import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog

#if os(Linux)
  /// Which calls are recorded in the journal, and so made durable with one flush.
  @Suite struct JournalledCallTests {
    /// Makes three calls: one of one event, which flushes twice as the first after an open does, and two of
    /// `count` events with payloads of `bytes`.
    private static func store(
      _ count: Int, of bytes: Int, in place: TemporaryStore, _ options: StoreOptions
    ) async throws {
      let log = try place.open(options)
      let entry = try NewEntry.sized(bytes)
      for call in 0..<3 {
        let entries = (0..<(call == 0 ? 1 : count)).map { _ in
          var entry = entry
          if options.idempotency == .always { entry.id = UUID() }
          return entry
        }
        try await log.append { appending in
          for (index, entry) in entries.enumerated() {
            appending.append([entry], to: StreamName("stream \(index % 40)"))
          }
        }
      }
    }

    /// The sizes of all records in the journal of a store, in bytes.
    private static func records(_ place: TemporaryStore) throws -> [Int] {
      let file = try Data(contentsOf: place.url.appending(path: "log-000001.mdb"))
      var sizes: [Int] = []
      var rest = file.startIndex..<file.endIndex
      while let mark = file.range(of: Data("AnnalsJ2".utf8), in: rest) {
        let size = file[mark.upperBound + 8..<mark.upperBound + 12]
        sizes.append(size.reversed().reduce(0) { $0 << 8 | Int($1) })
        rest = mark.upperBound..<rest.upperBound
      }
      return sizes
    }

    @Test(arguments: [(1, 150), (10, 2_000), (100, 150), (200, 20)])
    func `a call of up to some 26 KiB is recorded`(count: Int, bytes: Int) async throws {
      let place = try TemporaryStore()
      try await Self.store(count, of: bytes, in: place, .merging(every: 1_000_000))
      let sizes = try Self.records(place)
      #expect(sizes.count == 2 && sizes.allSatisfy { $0 > count * bytes }, "\(sizes)")
    }

    @Test(arguments: [(1, 30_000), (150, 150)])
    func `a larger call is not`(count: Int, bytes: Int) async throws {
      let place = try TemporaryStore()
      try await Self.store(count, of: bytes, in: place, .merging(every: 1_000_000))
      #expect(try Self.records(place) == [])
    }

    /// Makes a store one of an earlier library, whose records have no hash.
    private static func makeEarlier(_ place: TemporaryStore) throws {
      let log = try place.open()
      let generation = log.core.generation
      try generation.environment.write(within: .seconds(10)) { (transaction) throws(AnnalsError) in
        try transaction.release(.journalHash, generation.tables)
      }
    }

    @Test
    func `in a store of an earlier library, a commit without a record says that the next ones have a hash`()
      async throws
    {
      let place = try TemporaryStore()
      try await Self.store(1, of: 3_000, in: place, .merging(every: 1_000_000))
      try Self.makeEarlier(place)
      #expect(try EventLog.inspect(place.url).requires.sorted() == ["journal", "times"])
      let before = try Self.records(place)
      let (log, entry) = (try place.open(), try NewEntry.sized(200))
      // The first commit after an open flushes twice in any case, so it is not the one of the call.
      let generation = log.core.generation
      try generation.environment.write(within: .seconds(10)) { (transaction) throws(AnnalsError) in
        try transaction.release(.unreadGroups, generation.tables)
      }
      // An open alone keeps the store one of that library.
      #expect(try EventLog.inspect(place.url).requires.sorted() == ["journal", "times"])
      try await log.append { $0.append([entry], to: "stream 1") }
      #expect(try Self.records(place) == before)
      #expect(try EventLog.inspect(place.url).requires.sorted() == ["journal", "journal-hash", "times"])
      // New records replace the old ones.
      for _ in 0..<3 { try await log.append { $0.append([entry], to: "stream 1") } }
      let after = try Self.records(place)
      #expect(after.count == 2 && after.allSatisfy { $0 < 1_000 }, "\(after)")
      #expect(try EventLog.verify(place.url).isClean)
    }

    @Test func `a call whose rows leave no room in its record is stored without one`() async throws {
      let place = try TemporaryStore()
      var options = StoreOptions.merging(every: 1_000_000)
      options.idempotency = .always
      try await Self.store(280, of: 10, in: place, options)
      #expect(try Self.records(place) == [])
      let log = try place.open(options)
      #expect(try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }.count == 561)
      #expect(try EventLog.verify(place.url).isClean)
    }
  }
#endif
