import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Random logs and random routes, compared with an array, while passes are stopped, repeated and rolled back.
@Suite(.serialized) struct StreamRoutesTests {
  /// Where entries of a stream and kind go: a name, or nowhere.
  struct Routes: Sendable {
    private var names: [String: String?] = [:]

    /// Routes between streams called "s0" to "s5", among them such as lead nowhere or back.
    init(seed: UInt64) {
      var generator = SeededGenerator(seed: seed)
      for stream in 0..<6 {
        for kind in 0..<4 {
          switch Int.random(in: 0..<8, using: &generator) {
          case 0: names["s\(stream) \(kind)"] = .some(nil)
          case 1...2: names["s\(stream) \(kind)"] = "new\(Int.random(in: 0..<3, using: &generator))"
          case 3...6: names["s\(stream) \(kind)"] = "s\(Int.random(in: 0..<6, using: &generator))"
          default: break
          }
        }
      }
    }

    /// The route by the words that the model has, too; `nil` where an entry stays.
    func name(_ stream: String, _ kind: Int) -> String?? { names["\(stream) \(kind)"] }
  }

  static let routes = Mutex(Routes(seed: 0))

  /// An entry of the model.
  private struct Entry {
    var stream: String
    let kind: Int
    var revision = 0
    var isGone = false
  }

  private static func renumbered(_ entries: [Entry]) -> [Entry] {
    var next: [String: Int] = [:]
    return entries.map { entry in
      var entry = entry
      entry.revision = next[entry.stream, default: 0]
      next[entry.stream] = entry.revision + 1
      return entry
    }
  }

  private static func places(_ entries: [Entry]) -> [String] {
    entries.enumerated().map { "\($0 + 1) \($1.stream) \($1.revision) \($1.isGone)" }
  }

  @Test(arguments: 1...16 as ClosedRange<UInt64>)
  func `every route leads where it says`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let routes = Routes(seed: seed)
    Self.routes.withLock { $0 = routes }
    let place = try TemporaryStore()
    var entries: [Entry] = []
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self, options: .merging(every: 16))
      for n in 0..<Int.random(in: 1..<160, using: &generator) {
        let entry = Entry(
          stream: "s\(Int.random(in: 0..<6, using: &generator))",
          kind: Int.random(in: 0..<4, using: &generator))
        let event: ClubV1.Event =
          switch entry.kind {
          case 0: .weighed(.init(n: n))
          case 1: .noted(.init(n: n))
          case 2: .lifted(.init(n: n, sets: 0))
          default: .lifted(.init(n: n, sets: 2))
          }
        entries.append(entry)
        try await store.append([event], to: StreamName(entry.stream))
      }
    }
    for _ in 0..<Int.random(in: 0..<4, using: &generator) {
      try await Self.disturb(place, &generator)
      #expect(try place.open().places().scanned == Self.places(Self.renumbered(entries)))
    }
    try await place.migrate(RoutedPlan.self, Self.options(&generator))
    let expected = Self.renumbered(
      entries.map { entry in
        var entry = entry
        switch routes.name(entry.stream, entry.kind) {
        case .some(.some(let name)): entry.stream = name
        case .some(nil): entry.isGone = true
        case nil: break
        }
        if entry.kind == 2 { entry.isGone = true }
        return entry
      })
    let places = try place.open().places()
    #expect(places.scanned == Self.places(expected))
    #expect(places.walked == Self.places(expected))
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [])
  }

  private static func options(_ generator: inout SeededGenerator) -> MigrationOptions {
    var options = MigrationOptions()
    options.threads = Int.random(in: 1..<4, using: &generator)
    options.batch = Int.random(in: 1..<50, using: &generator)
    options.durableBatch = Int.random(in: 1..<50, using: &generator)
    return options
  }

  /// A pass that is stopped on its way, one that is rolled back, or one that is only rehearsed.
  private static func disturb(_ place: TemporaryStore, _ generator: inout SeededGenerator) async throws {
    var options = options(&generator)
    let choice = Int.random(in: 0..<3, using: &generator)
    options.isRehearsal = choice == 0
    var passes = try PlanMigration(
      at: place.url, plan: RoutedPlan.self, to: nil, options: .merging(every: 16))
    let points: [PassPoint] = [.batchCommitted, .copied, .merged, .reopened, .compared, .verified]
    let point = points.randomElement(using: &generator) ?? .copied
    let stopping = Stopping()
    if choice == 1 { options.atPoint = { if $0 == point { stopping.stop() } } }
    let run = try #require(try passes.next(options))
    stopping.put(run)
    do {
      let report = try await run.report()
      if report.isDone { _ = try EventLog.rollback(place.url) }
    } catch { #expect((error as AnnalsError).code == .cancelled) }
  }
}

/// The stage whose routes a test chooses.
private enum RoutedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV2> {
    MigrationStage.custom(fromVersion: ClubV1.self, toVersion: ClubV2.self) {
      Split(\.lifted, into: [\.setLifted]) { old, _ in
        (0..<old.sets).map { _ in .setLifted(.init(n: old.n)) }
      }
      Streams { events, origin in
        let kind =
          switch events.first {
          case .weighed: 0
          case .noted: 1
          case .lifted(let it): it.sets == 0 ? 2 : 3
          case nil: 4
          }
        let route = StreamRoutesTests.routes.withLock { $0.name(origin.stream.text, kind) }
        return switch route {
        case .some(.some(let name)): .moves(to: StreamName(name))
        case .some(nil): .dropped(reason: "by the routes")
        case nil: .stays
        }
      }
    }
  }
}
