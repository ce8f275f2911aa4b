import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#endif

/// What the threads of views do to each other, and to a file that somebody else has changed.
struct ViewEngineTests {
  /// A row that is not what anybody stored.
  static func spoil(_ word: String, in file: ViewFile) throws {
    var key = RowKeyBytes()
    key.append(0 as UInt8)
    word.encode(into: &key)
    let bytes = key.bytes
    let junk: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    try file.environment.write(durability: .relaxed) { (transaction) throws(EnvironmentError) in
      try transaction.put(junk.span, forKey: bytes.span, in: file.rows)
    }
  }

  @Test("a spoilt row is found by verify, and by the fold, which has the view rebuilt")
  func spoiltRow() async throws {
    var random = SeededGenerator(seed: 41)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(200, to: store, &random)
    let counts = try store.view(Tallies.Counts.self)
    try await counts.waitUntil(tallied.last)
    #expect(try EventLog.verify(tallied.url).isClean)
    let file = try #require(counts.registered.served?.file)
    try Self.spoil("w1", in: file)
    let report = try EventLog.verify(tallied.url)
    #expect(report.findings.map(\.place) == ["view file v-000001.mdb"])
    #expect(report.findings.first?.repair == .rebuild)
    let error = #expect(throws: AnnalsError.self) {
      _ = try counts.read { (snapshot) throws(AnnalsError) in try snapshot.get(Tallies.Counts.Word.self, "w1")
      }
    }
    #expect(error?.code == .damaged)
    // Every word, so that the spoilt row is met.
    try await tallied.append(400, to: store, &random)
    try await waitUntil { counts.registered.served?.file.number == 2 }
    try await counts.waitUntil(tallied.last)
    #expect(try counts.status().reason?.contains("damaged") == true)
    #expect(try counts.read { try $0.all() } == tallied.counts())
  }

  /// Finds its file damaged at an entry, as soon as two are at it.
  enum Rotten: Projection {
    static let place = Atomic(0 as UInt64)
    static let arrivals = Atomic(0)

    typealias Event = Tallies.Event
    static let name = "rotten"
    static let version = 1
    static var tables: [ProjectionTable] { Tallies.Counts.tables }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      if entry.position.rawValue == place.load(ordering: .acquiring),
        arrivals.add(1, ordering: .acquiringAndReleasing).newValue <= 2
      {
        let end = ContinuousClock.now + .seconds(60)
        // Without a rest, so that both go on at one moment.
        while arrivals.load(ordering: .acquiring) < 2, ContinuousClock.now < end {}
        throw AnnalsError(.damaged, "the file is damaged")
      }
      try Tallies.Counts.apply(entry, to: &rows)
    }
  }

  @Test("two files of a view that are found damaged at one moment are rebuilt")
  func bothSpoilt() async throws {
    var random = SeededGenerator(seed: 46)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(50, to: store, &random)
    let view = try store.view(Rotten.self)
    try await view.waitUntil(tallied.last)
    for _ in 0..<3 {
      let before = try #require(view.registered.served?.file.number)
      Rotten.arrivals.store(0, ordering: .releasing)
      Rotten.place.store(tallied.last.rawValue + 1, ordering: .releasing)
      try await tallied.append(1, to: store, &random)
      try store.rebuild(Rotten.self)
      try await waitUntil { view.registered.served?.file.number == before + 2 }
      try await view.waitUntil(tallied.last)
      #expect(try view.status().reason?.contains("damaged") == true)
    }
    let rows = try view.rows(RowQuery(Tallies.Counts.Word.self))
    #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0.word, $0) }) == tallied.counts())
  }

  @Test("a batch that begins at another position than the file's is not stored")
  func elsewhere() async throws {
    var random = SeededGenerator(seed: 42)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    try await tallied.append(60, to: store, &random)
    let counts = try store.view(Tallies.Counts.self)
    try await counts.waitUntil(tallied.last)
    let file = try #require(counts.registered.served?.file)
    let stands = try #require(try file.read { (view) throws(AnnalsError) in try file.checkpoint(view) })
    // The same entries once more, as by a process that does not know that another was faster.
    let entries = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var all: [Entry<Tallies.Event>] = []
      while let entry = try entries.next() { all.append(entry) }
      return all
    }
    let fold = ViewFold<Tallies.Counts>(file, try ProjectionOutline(Tallies.Counts.self))
    let page = ViewPage(start: 0, end: stands, entries: entries, isLast: true)
    guard case .elsewhere(let found) = try fold.fold(page, from: nil, .relaxed, next: { _ in nil }) else {
      Issue.record("the entries were folded twice")
      return
    }
    #expect(found == stands)
    #expect(try counts.read { try $0.all() } == tallied.counts())
    // Without the comparison they would have been.
    guard
      case .stored = try fold.fold(
        ViewPage(
          start: stands.position.rawValue, end: stands, entries: entries.map(Self.moved), isLast: true),
        from: stands, .relaxed, next: { _ in nil })
    else {
      Issue.record("the control was not stored")
      return
    }
    #expect(try counts.read { try $0.all() } != tallied.counts())
  }

  private static func moved(_ entry: Entry<Tallies.Event>) -> Entry<Tallies.Event> {
    Entry(
      entry.event,
      from: Origin(
        position: Position(entry.position.rawValue + 1_000), stream: entry.stream, revision: entry.revision,
        timestamp: entry.timestamp, id: nil, metadata: Metadata(), log: UUID()))
  }

  /// Takes its time.
  enum Slow: Projection {
    @Record struct Row: ProjectionRow {
      var word: String
      var times: Int
      var key: String { word }
    }
    typealias Event = Tallies.Event
    static let name = "slow"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Row.self)] }
    static var events: EventQuery<Event> { [\.said] }
    /// Whether it does not go on.
    static let isHeld = Atomic(false)
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .said(let said) = entry.event else { return }
      while isHeld.load(ordering: .relaxed) { WriterThread.pause(milliseconds: 1) }
      try rows.update(Row.self, said.word, initial: Row(word: said.word, times: 0)) { $0.times += said.times }
    }
  }

  @Test("a slow view keeps no other from following, and takes in everything itself")
  func slowView() async throws {
    var random = SeededGenerator(seed: 43)
    let tallied = try TalliedStore()
    let store = try tallied.open()
    let (slow, counts) = (try store.view(Slow.self), try store.view(Tallies.Counts.self))
    try await slow.waitUntil(0)
    Slow.isHeld.store(true, ordering: .relaxed)
    defer { Slow.isHeld.store(false, ordering: .relaxed) }
    for _ in 0..<8 {
      try await tallied.append(20, to: store, &random)
      try await counts.waitUntil(tallied.last, timeout: .seconds(60))
      #expect(try counts.read { try $0.all() } == tallied.counts())
    }
    #expect(try slow.status().lag > 0)
    Slow.isHeld.store(false, ordering: .relaxed)
    try await slow.waitUntil(tallied.last, timeout: .seconds(60))
    let row = try slow.read { (snapshot) throws(AnnalsError) in try snapshot.get(Slow.Row.self, "w1") }
    #expect(row?.times == tallied.counts()["w1"]?.times)
  }

  @Test("threads end, and files are let go of, when the last store and view are released")
  func release() async throws {
    var random = SeededGenerator(seed: 44)
    let tallied = try TalliedStore()
    var directory: Directory?
    do {
      let store = try tallied.open()
      try await tallied.append(30, to: store, &random)
      var view: View<Tallies.Counts>? = try store.view(Tallies.Counts.self)
      try await view?.waitUntil(tallied.last)
      view = nil
      // The store alone keeps it going.
      try await tallied.append(30, to: store, &random)
      try await store.view(Tallies.Counts.self).waitUntil(tallied.last)
      directory = store.log.core.generation.directory
      let shelf = try #require(try ViewDirectory.open(in: store.log.core.generation.directory, .readWrite))
      #expect(try shelf.foldLease(1) == nil)
    }
    let shelf = try ViewDirectory.open(in: #require(directory), .readWrite)
    try await waitUntil { try shelf?.foldLease(1) != nil }
    let hold = try shelf?.lock()
    #expect(try shelf?.remove(1) == true)
    _ = consume hold
  }

  #if canImport(Glibc)
    private struct NoFork: Error {}

    @Test("a child of a fork gets an error for the views of its parent, which continue")
    func fork() async throws {
      var random = SeededGenerator(seed: 45)
      let tallied = try TalliedStore()
      let store = try tallied.open()
      try await tallied.append(30, to: store, &random)
      let counts = try store.view(Tallies.Counts.self)
      try await counts.waitUntil(tallied.last)
      typealias Fork = @convention(c) () -> pid_t
      guard let symbol = unsafe dlsym(nil, "fork") else { throw NoFork() }
      let fork = unsafe unsafeBitCast(symbol, to: Fork.self)
      let child = fork()
      if child == 0 {
        var refusals: Int32 = 0
        do throws(AnnalsError) {
          _ = try counts.read { (snapshot) throws(AnnalsError) in try snapshot.position() }
        } catch {
          if error.code == .usedAfterFork { refusals += 1 }
        }
        do throws(AnnalsError) { _ = try store.view(Tallies.Counts.self) } catch {
          if error.code == .usedAfterFork { refusals += 1 }
        }
        _exit(refusals)
      }
      var status: Int32 = 0
      var ended: pid_t = 0
      let end = ContinuousClock.now + .seconds(60)
      while ended == 0 {
        // A lock that a thread held at the fork would be held forever.
        if ContinuousClock.now > end { kill(child, SIGKILL) }
        ended = unsafe waitpid(child, &status, WNOHANG)
        if ended == 0 { try await Task.sleep(for: .milliseconds(5)) }
      }
      try #require(ended == child)
      #expect(status == 2 << 8)
      try await tallied.append(30, to: store, &random)
      try await counts.waitUntil(tallied.last)
      #expect(try counts.read { try $0.all() } == tallied.counts())
    }
  #endif
}
