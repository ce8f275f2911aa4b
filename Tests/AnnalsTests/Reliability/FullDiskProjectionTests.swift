import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Rows much longer than their events, so that a view's file reaches a limit before the log does.
private enum LongWords: Projection {
  typealias Event = Tallies.Event
  @Record struct Word: ProjectionRow {
    var position: Int
    var text: String
    var key: Int { position }
  }

  static let name = "long words"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Word.self)] }
  static var events: EventQuery<Event> { [\.said] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .said(let said) = entry.event else { return }
    try rows.put(
      Word(position: Int(entry.position.rawValue), text: String(repeating: said.word, count: 20_000)))
  }
}

/// Disks and limits that end in the midst of what projections store.
@Suite struct FullDiskProjectionTests {
  /// A call that changes rows and entries of secondary keys on many pages.
  private static func change(_ store: EventStore<InlineAccountsPlan>, _ number: Int) async throws {
    try await store.append { call in
      for part in 0..<20 {
        let name = "\(part) \(number) " + String(repeating: "n", count: 300)
        call.append(
          [.opened(.init(name: name, code: part)), .moved(.init(amount: number))],
          to: StreamName("account \(number) \(part)"))
      }
    }
  }

  private static func count(_ store: EventStore<InlineAccountsPlan>) throws -> Int {
    try store.read { (snapshot) throws(AnnalsError) in Int(try snapshot.head()?.rawValue ?? 0) }
  }

  private static let inline: [any InlineProjection<InlineAccountsV1.Event>.Type] = [
    InlineNames.self, InlineBalances.self,
  ]

  @Test
  func
    `of an append that the disk ends after any number of pages neither events nor inline rows are there, and both when it is repeated`()
    async throws
  {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      var (refused, pages, fits) = (0, 0, false)
      while !fits {
        let place = try TemporaryStore()
        let store = try place.accounts(FullDiskProjectionTests.inline)
        for number in 0..<2 { try await FullDiskProjectionTests.change(store, number) }
        let size = try Data(contentsOf: place.url.appendingPathComponent(Specimen.file)).count
        try #require(ProcessLimit.fileSize.set(size + pages * 4096))
        var next = 2
        do {
          while next < 5 {
            try await FullDiskProjectionTests.change(store, next)
            next += 1
          }
          fits = true
        } catch let error as AnnalsError {
          #expect(error.code == .diskFull, "\(pages): \(error)")
          refused += 1
        }
        #expect(try FullDiskProjectionTests.count(store) == next * 40, "\(pages)")
        try expectAgreement(store)
        try #require(ProcessLimit.fileSize.set(nil))
        // Names that were not stored are not taken.
        try await FullDiskProjectionTests.change(store, next)
        #expect(try FullDiskProjectionTests.count(store) == next * 40 + 40, "\(pages)")
        try expectAgreement(store)
        #expect(try EventLog.verify(place.url).isClean, "\(pages)")
        pages += 8
      }
      #expect(refused > 3)
    }
  }

  @Test(.enabled(if: Mount.isPossible, "needs root and mounts"))
  func
    `a full file system leaves inline rows as the log has them, and the next append succeeds when there is room`()
    async throws
  {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      let disk = try Mount.memory(8 << 20, at: place.directory.path)
      let url = disk.appendingPathComponent("orders.annals")
      let store = try EventStore(
        at: url, plan: InlineAccountsPlan.self, inline: FullDiskProjectionTests.inline)
      let ballast = disk.appendingPathComponent("ballast")
      var (refused, stored) = (0, 0)
      for pages in stride(from: 0, to: 60, by: 5) {
        var space = statvfs()
        let known = unsafe statvfs(disk.path, &space)
        try #require(known == 0)
        try Data(count: (Int(space.f_bavail) - pages) * Int(space.f_frsize)).write(to: ballast)
        do {
          try await FullDiskProjectionTests.change(store, pages)
          stored += 1
        } catch let error as AnnalsError {
          #expect(error.code == .diskFull, "\(pages): \(error)")
          refused += 1
        }
        #expect(try FullDiskProjectionTests.count(store) == 40 * stored, "\(pages)")
        try expectAgreement(store)
        try FileManager.default.removeItem(at: ballast)
        try await FullDiskProjectionTests.change(store, 100 + pages)
        stored += 1
      }
      #expect(refused > 1 && refused < 12, "\(refused)")
      try expectAgreement(store)
      #expect(try EventLog.verify(url).isClean)
    }
  }

  /// Appends words, and gives the position of the last one.
  private static func say(_ count: Int, _ store: EventStore<Tallies.Plan>) async throws -> Position {
    try await store.append((0..<count).map { .said(.init(word: "w", times: $0)) }, to: "s").position ?? 0
  }

  private static func isFull(_ view: View<LongWords>) throws -> Bool {
    guard case .stopped(let error) = try view.status().state else { return false }
    return error.code == .diskFull
  }

  /// Waits until the view has folded a position, regardless of its status meanwhile, and checks its rows.
  private static func expectRows(_ view: View<LongWords>, upTo last: Position) async throws {
    try await waitUntil { (try view.status().position ?? 0) >= last }
    guard case .following = try view.status().state else {
      Issue.record("the view does not follow: \(try view.status().state)")
      return
    }
    let rows = try view.rows(RowQuery(LongWords.Word.self)).map(\.position)
    #expect(rows == Array(1...Int(last.rawValue)))
  }

  @Test func `a view whose file a limit ends says so, and catches up by itself when there is room`()
    async throws
  {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let place = try TemporaryStore()
      let store = try EventStore(at: place.url, plan: Tallies.Plan.self, options: .relaxedCommits)
      let view = try store.view(LongWords.self)
      let before = try await FullDiskProjectionTests.say(30, store)
      try await view.waitUntil(before)
      let changes = view.changes(of: LongWords.Word.self)
      let file = place.url.appendingPathComponent("views/v-000001.mdb")
      try #require(ProcessLimit.fileSize.set(try Data(contentsOf: file).count + 16_384))
      let last = try await FullDiskProjectionTests.say(30, store)
      try await waitUntil { try FullDiskProjectionTests.isFull(view) }
      // What was there is read meanwhile, and nothing of what did not fit.
      #expect(try view.rows(RowQuery(LongWords.Word.self)).count == 30)
      #expect(try view.read { (snapshot) throws(AnnalsError) in try snapshot.position() } == before)
      try #require(ProcessLimit.fileSize.set(nil))
      try await FullDiskProjectionTests.expectRows(view, upTo: last)
      // Its observers were not turned away, and see each change once.
      var iterator = changes.makeAsyncIterator()
      var told: [Int] = []
      while told.count < 30 {
        guard case .put(let word, _) = try await iterator.next() else { break }
        told.append(word.position)
      }
      #expect(told == Array(31...60))
      #expect(try EventLog.verify(place.url).isClean)
    }
  }

  @Test func `a view that a limit keeps from being built is built by itself when there is room`() async throws
  {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let place = try TemporaryStore()
      let store = try EventStore(at: place.url, plan: Tallies.Plan.self, options: .relaxedCommits)
      let last = try await FullDiskProjectionTests.say(30, store)
      // If not even its files can be created, no remains of them block the next attempt.
      var refused = 0
      for bytes in [0, 1, 4_096, 8_192] {
        try #require(ProcessLimit.fileSize.set(bytes))
        do throws(AnnalsError) {
          _ = try store.view(LongWords.self)
          Issue.record("\(bytes) bytes are enough")
        } catch {
          #expect(error.code == .diskFull, "\(bytes): \(error)")
          refused += 1
        }
      }
      #expect(refused == 4)
      try #require(ProcessLimit.fileSize.set(128 << 10))
      let view = try store.view(LongWords.self)
      try await waitUntil { try FullDiskProjectionTests.isFull(view) }
      try #require(ProcessLimit.fileSize.set(nil))
      try await FullDiskProjectionTests.expectRows(view, upTo: last)
      #expect(try EventLog.verify(place.url).isClean)
    }
  }

  @Test(.enabled(if: Mount.isPossible, "needs root and mounts"))
  func `a view on a full file system says so, and is built by itself when there is room`() async throws {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryStore()
      let disk = try Mount.memory(8 << 20, at: place.directory.path)
      let url = disk.appendingPathComponent("orders.annals")
      let store = try EventStore(at: url, plan: Tallies.Plan.self, options: .relaxedCommits)
      let last = try await FullDiskProjectionTests.say(60, store)
      var space = statvfs()
      let known = unsafe statvfs(disk.path, &space)
      try #require(known == 0)
      let ballast = disk.appendingPathComponent("ballast")
      try Data(count: Int(space.f_bavail) * Int(space.f_frsize) - (256 << 10)).write(to: ballast)
      let view = try store.view(LongWords.self)
      try await waitUntil { try FullDiskProjectionTests.isFull(view) }
      try FileManager.default.removeItem(at: ballast)
      try await FullDiskProjectionTests.expectRows(view, upTo: last)
      #expect(try EventLog.verify(url).isClean)
    }
  }
}
