import Synchronization
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Views that follow a log, and views that are rebuilt.
struct ViewFollowingTests {
  @Test(
    "rows equal a plain fold, live, after a rebuild and after the store was opened again",
    arguments: [1, 2, 3] as [UInt64])
  func following(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let tallied = try TalliedStore()
    do {
      let store = try tallied.open()
      try await tallied.append(Int.random(in: 0...300, using: &random), to: store, &random)
      let counts = try store.view(Tallies.Counts.self)
      let pauses = try store.view(Tallies.Pauses.self)
      for _ in 0..<6 {
        let last = try await tallied.append(Int.random(in: 1...200, using: &random), to: store, &random)
        try await counts.waitUntil(last)
        try await pauses.waitUntil(last)
        #expect(try counts.read { try $0.all() } == tallied.counts(), "seed \(seed)")
        let expected = tallied.pauses()
        try pauses.read { snapshot in
          for (stream, seconds) in expected {
            let found = try snapshot.get(Tallies.Pauses.Pause.self, stream)?.seconds
            #expect(found == seconds, "seed \(seed)")
          }
        }
      }
      let before = counts.registered.served?.file.number
      try store.rebuild(Tallies.Counts.self)
      try await tallied.append(100, to: store, &random)
      try await waitUntil { counts.registered.served?.file.number != before }
      try await counts.waitUntil(tallied.last)
      #expect(try counts.read { try $0.all() } == tallied.counts(), "seed \(seed)")
    }
    let store = try tallied.open()
    let counts = try store.view(Tallies.Counts.self)
    try await counts.waitUntil(tallied.last)
    #expect(try counts.read { try $0.all() } == tallied.counts(), "seed \(seed)")
  }

  // Promise P174.
  @Test("a raised version is built alongside the older one, which serves and follows until then")
  func raisedVersion() async throws {
    var random = SeededGenerator(seed: 7)
    let tallied = try TalliedStore()
    do {
      let store = try tallied.open()
      try await tallied.append(2_000, to: store, &random)
      let counts = try store.view(Tallies.Counts.self)
      try await counts.waitUntil(tallied.last)
    }
    let store = try tallied.open()
    let counts = try store.view(Tallies.CountsV2.self)
    // The rows can be read, regardless of the version that serves.
    let word = try counts.read { try $0.get(Tallies.CountsV2.Word.self, "w1") }
    #expect(word?.times == tallied.counts()["w1"]?.times)
    try await tallied.append(200, to: store, &random)
    try await waitUntil { try counts.status().servedVersion == 2 }
    try await counts.waitUntil(tallied.last)
    let expected = tallied.counts()
    try counts.read { snapshot in
      for (word, row) in expected {
        let found = try snapshot.get(Tallies.CountsV2.Word.self, word)
        #expect(found?.times == row.times)
        #expect(found?.first != nil)
      }
    }
    // The older file goes as soon as nobody has it open.
    try await waitUntil { try Self.files(tallied.url) == ["v-000002.mdb"] }
  }

  @Test("an event that cannot be folded stops its view there, and no other")
  func poison() async throws {
    var random = SeededGenerator(seed: 11)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(500, to: store, &random)
    let counts = try store.view(Tallies.Counts.self)
    let pauses = try store.view(Tallies.Pauses.self)
    let good = tallied.last
    try await counts.waitUntil(good)
    let bad = try await store.append([NewEvent(.said(.init(word: "bad", times: -1)))], to: "s0").positions[0]
    let after = try await store.append([NewEvent(.silence(.init(seconds: 1)))], to: "s0").positions[0]
    try await pauses.waitUntil(after)
    let error = await #expect(throws: AnnalsError.self) { try await counts.waitUntil(after) }
    #expect(error?.code == .ruleFailed)
    #expect(error?.details.position == bad)
    #expect(try counts.read { try $0.position() } == good)
    #expect(try counts.read { try $0.all() } == tallied.counts())
    guard case .stopped = try counts.status().state else {
      Issue.record("the view goes on")
      return
    }
  }

  static func files(_ url: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.appendingPathComponent("views").path)
      .filter { $0.hasSuffix(".mdb") }.sorted()
  }
}

/// Rows of an earlier version that become those of a later one without the log.
struct RowUpcastTests {
  /// The words of ``Tallies/Counts`` in order of length. A rule makes its rows of those of version 1.
  enum Lengths: Projection {
    @Record struct Word: ProjectionRow {
      var word: String
      var times: Int
      var last: Int
      var isUpcast: Bool

      var key: Keys<Int, String> { Keys(word.utf8.count, word) }
      static let byTimes = SecondaryKey<Word, Int>("times") { $0.times }
      static var secondaryKeys: [any DeclaredKey<Word>] { [byTimes] }
    }
    typealias Event = Tallies.Event
    static let name = "counts"
    static let version = 3
    static var tables: [ProjectionTable] { [.rows(Word.self)] }
    static var events: EventQuery<Event> { [\.said] }
    static var upcasts: [RowUpcast] {
      [
        RowUpcast(from: 1, Tallies.Counts.Word.self) { old in
          [Word(word: old.word, times: old.times, last: old.last, isUpcast: true)]
        }
      ]
    }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .said(let said) = entry.event else { return }
      let key = Keys(said.word.utf8.count, said.word)
      try rows.update(Word.self, key, initial: Word(word: said.word, times: 0, last: 0, isUpcast: false)) {
        $0.times += said.times
        $0.last = Int(entry.position.rawValue)
      }
    }
  }

  /// The words of ``Tallies/Counts``, with a table that version 1 lacked.
  enum Mentions: Projection {
    @Record struct Mention: ProjectionRow {
      var position: UInt64
      var times: Int
      var key: UInt64 { position }
    }
    typealias Event = Tallies.Event
    static let name = "counts"
    static let version = 2
    static var tables: [ProjectionTable] { [.rows(Tallies.Counts.Word.self), .rows(Mention.self)] }
    static var events: EventQuery<Event> { [\.said] }
    static var upcasts: [RowUpcast] { [RowUpcast(from: 1, Tallies.Counts.Word.self) { [$0] }] }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      try Tallies.Counts.apply(entry, to: &rows)
      guard case .said(let said) = entry.event else { return }
      try rows.put(Mention(position: entry.position.rawValue, times: said.times))
    }
  }

  @Test func `the log is read if a later version has a table to which no earlier one leads`() async throws {
    var random = SeededGenerator(seed: 33)
    let tallied = try TalliedStore()
    do {
      let store = try tallied.open()
      try await tallied.append(60, to: store, &random)
      try await store.view(Tallies.Counts.self).waiting(for: tallied.last)
    }
    let store = try tallied.open()
    let view = try store.view(Mentions.self)
    try await view.waitUntilCaughtUp()
    let mentions = try view.rows(RowQuery(Mentions.Mention.self))
    let times = tallied.counts().values.reduce(0) { $0 + $1.times }
    #expect(times > 0)
    #expect(mentions.reduce(0) { $0 + $1.times } == times)
    #expect(try view.count(RowQuery(Tallies.Counts.Word.self)) == tallied.counts().count)
  }

  @Test("a rule makes rows of a later version out of those of an earlier one, where those end")
  func upcast() async throws {
    var random = SeededGenerator(seed: 31)
    let tallied = try TalliedStore()
    do {
      let store = try tallied.open()
      try await tallied.append(400, to: store, &random)
      try await store.view(Tallies.Counts.self).waitUntil(tallied.last)
      try await tallied.append(50, to: store, &random)
    }
    let store = try tallied.open()
    let view = try store.view(Lengths.self)
    try await view.waitUntil(tallied.last)
    for (word, row) in tallied.counts() {
      let found = try view.read { (snapshot) throws(AnnalsError) in
        try snapshot.get(Lengths.Word.self, Keys(word.utf8.count, word))
      }
      #expect(found?.times == row.times)
      #expect(found?.last == row.last)
      #expect(found?.isUpcast == true)
    }
    try store.rebuild(Lengths.self)
    try await waitUntil { try store.log.views().map(\.number) == [3] }
    try await view.waitUntil(tallied.last)
    let found = try view.read { (snapshot) throws(AnnalsError) in
      try snapshot.get(Lengths.Word.self, Keys(2, "w1"))
    }
    #expect(found?.times == tallied.counts()["w1"]?.times)
    #expect(found?.isUpcast == false)
    #expect(try EventLog.verify(tallied.url).isClean)
  }

  @Test("a file whose filling with upcast rows was interrupted is created again")
  func cutShort() async throws {
    var random = SeededGenerator(seed: 32)
    let tallied = try TalliedStore()
    do {
      let store = try tallied.open()
      try await tallied.append(100, to: store, &random)
      try await store.view(Tallies.Counts.self).waitUntil(tallied.last)
      // As a process leaves it that is killed between two batches.
      let shelf = try #require(try ViewDirectory.open(in: store.log.core.generation.directory, .readWrite))
      let hold = try shelf.lock()
      let inputs = ProjectionInputs(store.reach.plan, cases: Lengths.events.cases)
      _ = try shelf.create(ProjectionOutline(Lengths.self), inputs, isCarrying: true)
      _ = consume hold
    }
    let store = try tallied.open()
    let view = try store.view(Lengths.self)
    #expect(try view.status().reason?.contains("cut short") == true)
    try await view.waitUntil(tallied.last)
    let found = try view.read { (snapshot) throws(AnnalsError) in
      try snapshot.get(Lengths.Word.self, Keys(2, "w1"))
    }
    #expect(found?.times == tallied.counts()["w1"]?.times)
    #expect(
      try view.read { (snapshot) throws(AnnalsError) in try snapshot.get(Lengths.Word.self, Keys(2, "none")) }
        == nil)
  }
}
