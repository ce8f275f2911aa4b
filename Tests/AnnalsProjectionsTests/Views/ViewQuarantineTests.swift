import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsSchema
@testable import AnnalsStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Views of a store that passes over what it cannot read.
struct ViewQuarantineTests {
  @Schema(1, 0, 0) enum RidesV1 {
    @Record struct Rode { var who: String; var metres: Int }
    @Record struct Tour { var who: String; var legs: Int }
  }
  @Schema(2, 0, 0) enum RidesV2 {
    typealias Rode = RidesV1.Rode
  }
  enum First: SchemaMigrationPlan {
    static var stages: MigrationChain<RidesV1, RidesV1> {}
  }
  enum Second: SchemaMigrationPlan {
    static var stages: MigrationChain<RidesV1, RidesV2> {
      MigrationStage.custom(fromVersion: RidesV1.self, toVersion: RidesV2.self) {
        Split(\.tour, into: [\.rode]) { old, _ in
          if old.legs < 0 { throw Tallies.Refused() }
          return (0..<old.legs).map { .rode(.init(who: old.who, metres: $0)) }
        }
      }
    }
  }
  enum Riders: Projection {
    @Record struct Rider: ProjectionRow {
      var who: String
      var metres: Int
      var key: String { who }
    }
    typealias Event = RidesV2.Event
    static let name = "riders"
    static let version = 1
    static var tables: [ProjectionTable] { [.rows(Rider.self)] }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .rode(let rode) = entry.event else { return }
      try rows.update(Rider.self, rode.who, initial: Rider(who: rode.who, metres: 0)) {
        $0.metres += rode.metres
      }
    }
  }

  /// The same rows, as the plan was before.
  enum FormerRiders: Projection {
    typealias Event = RidesV1.Event
    static let name = "riders"
    static let version = 1
    static var tables: [ProjectionTable] { Riders.tables }
    static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
      guard case .rode(let rode) = entry.event else { return }
      try rows.update(Riders.Rider.self, rode.who, initial: Riders.Rider(who: rode.who, metres: 0)) {
        $0.metres += rode.metres
      }
    }
  }

  @Test("an entry that a new plan cannot upcast stops the build, and sets back no file that has passed it")
  func rebuildStopped() async throws {
    let temporary = try TemporaryStore()
    do {
      let store = try EventStore(at: temporary.url, plan: First.self)
      try await store.append([NewEvent(.rode(.init(who: "Ann", metres: 5)))], to: "rides")
      try await store.append([NewEvent(.tour(.init(who: "Ann", legs: -1)))], to: "rides")
      try await store.append([NewEvent(.rode(.init(who: "Ann", metres: 7)))], to: "rides")
      try await store.view(FormerRiders.self).waitUntil(3)
    }
    let store = try EventStore(at: temporary.url, plan: Second.self)
    let view = try store.view(Riders.self)
    try await waitUntil {
      guard case .stopped(let error) = try view.status().state else { return false }
      return error.code == .ruleFailed
    }
    #expect(try view.read { try $0.position() } == 3)
    let last = try await store.append([NewEvent(.rode(.init(who: "Ann", metres: 9)))], to: "rides").position
    try await view.waitUntil(#require(last))
    let row = try view.read { (snapshot) throws(AnnalsError) in try snapshot.get(Riders.Rider.self, "Ann") }
    #expect(row?.metres == 21)
    #expect(try view.status().servedVersion == 1)
    #expect(view.registered.served?.file.number == 1)
  }

  @Test("rows do not depend on the program that folds them: a view stops where its store skips an entry")
  func quarantine() async throws {
    let temporary = try TemporaryStore()
    do {
      let store = try EventStore(at: temporary.url, plan: First.self)
      try await store.append([NewEvent(.rode(.init(who: "Ann", metres: 5)))], to: "rides")
      try await store.append([NewEvent(.tour(.init(who: "Ann", legs: -1)))], to: "rides")
      try await store.append([NewEvent(.rode(.init(who: "Ann", metres: 7)))], to: "rides")
    }
    var options = StoreOptions()
    options.unreadable = .quarantine { _ in }
    let store = try EventStore(at: temporary.url, plan: Second.self, options: options)
    let view = try store.view(Riders.self)
    let error = await #expect(throws: AnnalsError.self) { try await view.waitUntil(3) }
    #expect(error?.code == .ruleFailed, "\(String(describing: error))")
    guard case .stopped = try view.status().state else {
      Issue.record("the view goes on")
      return
    }
    // The store itself passes over it.
    var positions: [Position] = []
    for try await entry in store.entries() { positions.append(entry.position) }
    #expect(positions == [1, 3])
  }
}
