import Annals
import FaultPrograms
import Foundation
import Testing

/// Observers in one process of changes that another process folds.
@Suite(.serialized) struct ViewObserverTests {
  /// Rows that reported changes keep current.
  private struct Mirror<P: Projection> {
    var rows: [String: ClubWalker]
    /// The number of walks of each row when it was last reported.
    var reported: [String: Int] = [:]
    /// Changes that were reported twice, or after newer ones.
    var repeats: [String] = []
    var resets = 0
    var last: Position = 0
    let view: View<P>

    init(_ view: View<P>) throws {
      self.view = view
      rows = try Self.all(view)
    }

    static func all(_ view: View<P>) throws -> [String: ClubWalker] {
      Dictionary(
        uniqueKeysWithValues: try view.rows(RowQuery(ClubWalker.self)).map { ($0.who, $0) })
    }

    mutating func take(_ change: ViewChange<ClubWalker>) throws {
      switch change {
      case .put(let walker, let position):
        // Each walk makes a row newer, so a row that is reported twice has as many walks as before.
        if let known = reported[walker.who], known >= walker.walks { repeats.append(walker.who) }
        reported[walker.who] = walker.walks
        if position < last { repeats.append("\(position) behind \(last)") }
        rows[walker.who] = walker
        last = position
      case .removed(let walker, _): repeats.append("\(walker) was removed")
      case .reset:
        resets += 1
        rows = try Self.all(view)
      }
    }

    /// Whether the rows are those of the view.
    func agrees() throws -> Bool {
      let all = try Self.all(view)
      return rows.count == all.count
        && rows.allSatisfy { all[$0.key]?.metres == $0.value.metres && all[$0.key]?.walks == $0.value.walks }
    }
  }

  @Test(
    "changes that another process folds are reported here once each, and continue when it is killed",
    .timeLimit(.minutes(5)))
  func otherProcess() async throws {
    let temporary = try TemporaryStore()
    let program = ViewProgram(temporary.url)
    try await program.append(200, seed: 21)
    let child = try Child.run("view", temporary.url.path, "1", "false", "true", "22")
    defer { _ = try? child.kill() }
    #expect(child.speaks())
    let store = try EventStore(at: temporary.url, plan: Club.self)
    try await waitUntil { try store.log.views().contains { $0.isFolded && $0.state == .ready } }
    let view = try store.view(Distances<ClubOne>.self)
    // Observation begins before the rows are read, so that no change in between is missed.
    var iterator = view.changes(of: ClubWalker.self).makeAsyncIterator()
    let begin = try #require(try view.read { (snapshot) throws(AnnalsError) in try snapshot.position() })
    var mirror = try Mirror(view)
    while mirror.last.rawValue < begin.rawValue + 400 {
      guard let change = try await iterator.next() else { break }
      try mirror.take(change)
      // A batch that began before the observation is reported as a whole.
      if mirror.reported.isEmpty { mirror.resets = 0 }
    }
    #expect(mirror.resets == 0 && mirror.repeats == [] && !mirror.reported.isEmpty)
    _ = try child.kill()
    // From here on this process folds, beginning with the work that the other one has left.
    let head = try #require(try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() })
    try await view.waitUntil(head, timeout: .seconds(120))
    let done = try await store.append([NewEvent(.walked(.init(who: "end", metres: 5)))], to: "walks")
    let end = try #require(done.position)
    while mirror.rows["end"] == nil {
      guard let change = try await iterator.next() else { break }
      try mirror.take(change)
    }
    #expect(mirror.last >= end && mirror.resets == 0 && mirror.repeats == [])
    #expect(try mirror.agrees())
  }

  @Test(
    "a read-only observer gets the switch of another process to a raised version, and continues with it",
    .timeLimit(.minutes(5)))
  func readerOverSwitch() async throws {
    let temporary = try TemporaryStore()
    let program = ViewProgram(temporary.url)
    try await program.append(500, seed: 23)
    do {
      let store = try EventStore(at: temporary.url, plan: Club.self)
      let head = try #require(try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() })
      try await store.view(Distances<ClubOne>.self).waitUntil(head)
    }
    let reader = try EventStore(
      at: temporary.url, plan: Club.self, options: StoreOptions(access: .readOnly, creation: .never))
    let view = try reader.view(Distances<ClubTwo>.self)
    #expect(try view.status().servedVersion == 1)
    var mirror = try Mirror(view)
    var iterator = view.changes(of: ClubWalker.self).makeAsyncIterator()
    // It appends nothing, so that the older file does not change any more.
    let child = try Child.run("view", temporary.url.path, "2", "false", "false", "24")
    defer { _ = try? child.kill() }
    #expect(child.speaks())
    while mirror.resets == 0 {
      guard let change = try await iterator.next() else { break }
      try mirror.take(change)
    }
    #expect(mirror.resets == 1 && mirror.rows.count == 50)
    #expect(try view.status().servedVersion == 2)
    // A third process appends, and the second one folds that.
    let writer = try Child.run("view", temporary.url.path, "2", "false", "true", "25")
    defer { _ = try? writer.kill() }
    let begin = try #require(try view.read { (snapshot) throws(AnnalsError) in try snapshot.position() })
    while mirror.last.rawValue < begin.rawValue + 200 {
      guard let change = try await iterator.next() else { break }
      try mirror.take(change)
    }
    try writer.kill()
    let head = try #require(try reader.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() })
    try await view.waitUntil(head, timeout: .seconds(120))
    // The missing changes are still to be reported.
    while try !mirror.agrees() {
      guard let change = try await iterator.next() else { break }
      try mirror.take(change)
    }
    #expect(mirror.resets == 1 && mirror.repeats == [])
    #expect(try mirror.agrees())
  }
  @Test(
    "over rebuilds of another process an observer gets resets, and no change twice",
    .timeLimit(.minutes(5)))
  func rebuilds() async throws {
    let temporary = try TemporaryStore()
    let program = ViewProgram(temporary.url)
    try await program.append(200, seed: 26)
    let child = try Child.run("view", temporary.url.path, "1", "true", "true", "27")
    defer { _ = try? child.kill() }
    #expect(child.speaks())
    let store = try EventStore(at: temporary.url, plan: Club.self)
    try await waitUntil { try store.log.views().contains { $0.isFolded && $0.state == .ready } }
    let view = try store.view(Distances<ClubOne>.self)
    var iterator = view.changes(of: ClubWalker.self).makeAsyncIterator()
    var mirror = try Mirror(view)
    while mirror.resets < 4 {
      guard let change = try await iterator.next() else { break }
      try mirror.take(change)
    }
    try child.kill()
    let head = try #require(try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() })
    try await view.waitUntil(head, timeout: .seconds(120))
    // The unfinished build is completed here, and the missing changes are still to be reported.
    while try !mirror.agrees() {
      guard let change = try await iterator.next() else { break }
      try mirror.take(change)
    }
    #expect(mirror.repeats == [])
    #expect(try mirror.agrees())
  }
}
