import LMDB
import Testing

@testable import Annals
@testable import AnnalsProjections

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One batch after the other into a file, and rows read back.
struct ViewFoldTests {
  @Schema(1, 0, 0) enum TeamsV1 {
    @Record struct Joined { var player: Int; var name: String; var team: String? }
    @Record struct Left { var player: Int }
  }

  enum Roster: Projection {
    typealias Event = TeamsV1.Event
    @Record struct Player: ProjectionRow {
      var id: Int
      var name: String
      var team: String?

      var key: Int { id }
      static let byName = SecondaryKey<Player, String>("name", unique: true) { $0.name }
      static let byTeam = SecondaryKey<Player, String>("team") { $0.team }
      static var secondaryKeys: [any DeclaredKey<Player>] { [byName, byTeam] }
    }

    static let name = "roster"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Player.self)] }

    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      switch entry.event {
      case .joined(let joined): try rows.put(Player(id: joined.player, name: joined.name, team: joined.team))
      case .left(let left): try rows.delete(Player.self, left.player)
      }
    }
  }

  static func entry(_ position: UInt64, _ event: TeamsV1.Event) -> Entry<TeamsV1.Event> {
    Entry(
      event,
      from: Origin(
        position: Position(position), stream: "team", revision: Revision(position - 1),
        timestamp: Timestamp(microseconds: 0), id: nil, metadata: Metadata(), log: UUID()))
  }

  @Test("a page that ends before a file's position sets nothing back")
  func pageBehind() throws {
    let place = try TemporaryDirectory()
    let file = try ViewFile.open(1, called: "roster", in: Directory.open(path: place.url.path), create: true)
    let fold = ViewFold<Roster>(file, try ProjectionOutline(Roster.self))
    let log = UUID()
    let later = Checkpoint(log: log, incarnation: 0, position: 4, mark: 2)
    let entries = [Self.entry(1, .joined(.init(player: 1, name: "Ann", team: "red")))]
    let page = ViewPage(start: 0, end: later, entries: entries, isLast: true)
    guard case .stored = try fold.fold(page, from: nil, .relaxed, next: { _ in nil }) else {
      Issue.record("the page was not stored")
      return
    }
    let earlier = Checkpoint(log: log, incarnation: 0, position: 2, mark: 1)
    let behind = ViewPage(start: 0, end: earlier, entries: entries, isLast: false)
    guard case .elsewhere(let found) = try fold.fold(behind, from: later, .relaxed, next: { _ in nil }) else {
      Issue.record("the page was stored")
      return
    }
    #expect(found == later)
    #expect(try file.read { (view) throws(AnnalsError) in try file.checkpoint(view) } == later)
  }

  @Test("rows of a batch are read back, by key and by secondary key")
  func batches() throws {
    let place = try TemporaryDirectory()
    let directory = try Directory.open(path: place.url.path)
    let file = try ViewFile.open(1, called: "roster", in: directory, create: true)
    let fold = ViewFold<Roster>(file, try ProjectionOutline(Roster.self))
    func run(_ entries: [Entry<TeamsV1.Event>], from start: Checkpoint?, to end: Checkpoint) throws {
      let page = ViewPage(start: start?.position.rawValue ?? 0, end: end, entries: entries, isLast: true)
      _ = try fold.fold(page, from: start, .relaxed) { _ in nil }
    }
    let log = UUID()
    let first = Checkpoint(log: log, incarnation: 0, position: 2, mark: 1)
    let second = Checkpoint(log: log, incarnation: 0, position: 4, mark: 2)
    try run(
      [
        Self.entry(1, .joined(.init(player: 1, name: "Ann", team: "red"))),
        Self.entry(2, .joined(.init(player: 2, name: "Bo", team: "red"))),
      ], from: nil, to: first)
    try run(
      [
        Self.entry(3, .joined(.init(player: 1, name: "Anna", team: "blue"))),
        Self.entry(4, .left(.init(player: 2))),
      ], from: first, to: second)
    let snapshot = try ViewSnapshot<Roster>(file, ProjectionOutline(Roster.self))
    #expect(try snapshot.position() == 4)
    #expect(try snapshot.get(Roster.Player.self, 1)?.team == "blue")
    #expect(try snapshot.get(Roster.Player.self, 2) == nil)
    let failure = #expect(throws: FoldFailure.self) {
      try run(
        [
          Self.entry(5, .joined(.init(player: 3, name: "Cy", team: nil))),
          Self.entry(6, .joined(.init(player: 4, name: "Cy", team: nil))),
        ], from: second, to: Checkpoint(log: log, incarnation: 0, position: 6, mark: 3))
    }
    guard case .poison(let position, let error) = failure else {
      Issue.record("the second Cy was folded")
      return
    }
    #expect(position == 6)
    #expect(error.code == .ruleFailed)
    #expect((error.underlying as? AnnalsError)?.code == .conflict)
  }
}
