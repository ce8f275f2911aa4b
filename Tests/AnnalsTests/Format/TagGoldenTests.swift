import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import LMDB

/// The stores with tags that are kept as bytes: one with erased events, and the same after a pass.
enum TagGoldenStore {
  static let kept = KeptStore("format-1-tags")
  static let compacted = KeptStore("format-1-tags-compacted")
  private static let time = "2026-01-01T00:00:00.000000Z"

  /// The tags of each event, in the order of positions. The first chain has links of three levels.
  static let tags: [[EventTag]] =
    [["course:c1", "only:erased"], ["course:c1", "student:s1", "café:ü"], [], ["course:c2", "student:s1"]]
    + (5...24).map { $0 % 5 == 0 ? ["course:c2"] : ["course:c1", "student:s\($0 % 3)"] }
  /// The positions of the erased events: the first one of a chain, one in its middle, and the newest one.
  static let erased: [Position] = [1, 9, 24]

  /// Writes the store at `url`, in two calls and an erasure.
  static func write(to url: URL) async throws {
    try GoldenStore.create(at: url)
    let log = try EventLog(at: url)
    let time = try Timestamp(parsing: time)
    for part in [tags[..<4], tags[4...]] {
      var events: [NewEntry] = []
      for (index, tags) in zip(part.indices, part) {
        events.append(
          NewEntry(
            type: index % 2 == 0 ? "Enrolled" : "Left", version: SchemaVersion(1, 0, 0),
            payload: try Payload(["n": .unsigned(UInt64(index))]), time: time, tags: tags.reversed()))
      }
      try await log.append(events, to: "courses")
    }
    var request = AppendRequest(time: time.microseconds)
    request.change = LogChange(.erase(erased), author: "jane", reason: "request 7")
    _ = try log.append(blocking: request)
  }

  /// Rewrites the store at `url`.
  static func compact(_ url: URL) async throws {
    _ = try await EventLog(at: url).compact().report()
    _ = try EventLog.discardPrevious(url)
  }

  /// The positions of the events with a tag, as the list of them gives them.
  static func positions(of tag: EventTag) -> [Position] {
    tags.indices.map { Position(UInt64($0) + 1) }.filter { position in
      !erased.contains(position) && tags[Int(position.rawValue) - 1].contains(tag)
    }
  }
}

/// What another release wrote is read as it was, and written with the same bytes.
@Suite struct TagGoldenTests {
  static let stores = [TagGoldenStore.kept, TagGoldenStore.compacted]

  @Test(arguments: stores)
  func `the kept tags lead to their events, and their store is sound`(kept: KeptStore) throws {
    let place = try kept.copy()
    let report = try EventLog.verify(place.url)
    #expect(report.isClean, "\(report.findings)")
    let log = try EventLog(at: place.url)
    for tag in Set(TagGoldenStore.tags.joined()) {
      for backwards in [false, true] {
        let found = try log.read { snapshot in
          var entries = try snapshot.entries(matching: [.init(tags: [tag])], backwards: backwards)
          var found: [Position] = []
          while let entry = try entries.next() {
            found.append(entry.position)
            #expect(Set(entry.tags) == Set(TagGoldenStore.tags[Int(entry.position.rawValue) - 1]))
          }
          return found
        }
        let expected = TagGoldenStore.positions(of: tag)
        #expect(found == (backwards ? expected.reversed() : expected), "\(tag)")
      }
    }
  }

  // Promise P188.
  @Test(arguments: stores)
  func `the kept stores take more events with their tags, and conditions`(kept: KeptStore) async throws {
    let place = try kept.copy()
    let log = try EventLog(at: place.url)
    let event = NewEntry(
      type: "Enrolled", version: SchemaVersion(1, 0, 0), payload: try Payload(["n": 1]), tags: ["course:c1"])
    let query: LogQuery = [.init(tags: ["course:c1"])]
    let refused = await #expect(throws: AnnalsError.self) {
      try await log.append([event], to: "courses", unless: query, after: 20)
    }
    #expect(refused?.code == .conflict && refused?.details.position == 21)
    let added = try await log.append([event], to: "courses", unless: query, after: 23)
    #expect(added.positions == [26])
    #expect(try EventLog.verify(place.url).isClean)
  }

  // Promise P190.
  @Test func `a pass leaves the texts of erased tags in no byte of the store`() throws {
    let text = Data("only:erased".utf8)
    for (kept, isThere) in [(TagGoldenStore.kept, true), (TagGoldenStore.compacted, false)] {
      let files = try kept.copy().files()
      #expect(files.values.contains { $0.range(of: text) != nil } == isThere, "\(kept.testDescription)")
    }
  }

  @Test func `today's writer and today's pass give every row the bytes that are written down`() async throws {
    let place = try TemporaryStore()
    try await TagGoldenStore.write(to: place.url)
    let rows = try String(contentsOf: TagGoldenStore.kept.rows, encoding: .utf8)
    let features: [StoreMeta.Requirement] = [.tags, .streams]
    // The release that wrote the kept store counted the first tags as an activation, besides the erasure.
    let expected = GoldenStore.withJournal(rows, requiring: features, schemaEpoch: 1)
    #expect(try GoldenStore.dump(place.url) == expected && expected != rows)
    #expect(rows.contains("\ntags "))
    try await TagGoldenStore.compact(place.url)
    let compacted = try String(contentsOf: TagGoldenStore.compacted.rows, encoding: .utf8)
    #expect(
      try GoldenStore.dump(place.url)
        == GoldenStore.withJournal(compacted, requiring: features, schemaEpoch: 1))
  }

  // Promise P191.
  @Test(arguments: stores)
  func `a library that does not know tags neither reads nor writes such a store`(kept: KeptStore) throws {
    let place = try kept.copy()
    var requires: [StoreMeta.Requirement] = []
    do {
      let log = try EventLog(at: place.url)
      requires = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.meta().requires }
    }
    #expect(requires.contains(.tags) && StoreMeta.Requirement.tags.isForReading)
    // The same row with a name that this library does not know, as an older one does not know 'tags'.
    let row = requires.map { requirement in
      requirement == .tags ? .init(name: "tags-2", isForReading: requirement.isForReading) : requirement
    }
    try put(row, into: place)
    for access in [StoreOptions.Access.readOnly, .readWrite] {
      let refused = #expect(throws: AnnalsError.self) {
        try EventLog(at: place.url, options: StoreOptions(access: access, creation: .never))
      }
      #expect(refused?.code == .needsNewer && refused?.message.contains("'tags-2'") == true)
    }
  }

  /// Changes the row `requires` below everything that would refuse it.
  private func put(_ requires: [StoreMeta.Requirement], into place: TemporaryStore) throws {
    let directory = try Directory.open(path: place.url.path)
    let locks = EnvironmentLocks(
      open: try FileLock("open.lock", in: directory), queue: try FileLock("queue.lock", in: directory),
      write: try FileLock("write.lock", in: directory))
    let current = try #require(try place.files().keys.first { $0.hasSuffix(".mdb") })
    let environment = try Environment.open(
      current, in: directory, tables: StoreTables.definitions, locks: locks)
    var meta = StoreMeta(log: UUID())
    meta.requires = requires
    let key = Array(StoreMeta.Name.requires.rawValue.utf8)
    let row = Row.seal(meta.value(of: .requires), key: key)
    try environment.write { (transaction) throws(EnvironmentError) in
      try transaction.put(row.span, forKey: key.span, in: StoreTables(environment).meta)
    }
  }

  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["ANNALS_WRITE_GOLDEN"] != nil, "writes the kept stores"))
  func `writes the kept stores with tags again`() async throws {
    let place = try TemporaryStore()
    try await TagGoldenStore.write(to: place.url)
    try TagGoldenStore.kept.keep(place.url)
    try await TagGoldenStore.compact(place.url)
    try TagGoldenStore.compacted.keep(place.url)
  }
}
