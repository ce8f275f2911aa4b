package import Annals
import AnnalsTestSupport

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The walks of a club. Views are folded from them in processes that are killed.
@Schema(1, 0, 0) package enum ClubV1 {
  @Record package struct Walked {
    package var who: String
    package var metres: Int
  }
  @Record package struct Rested { package var who: String }
}

/// The plan of the club.
package enum Club: SchemaMigrationPlan {
  package static var stages: MigrationChain<ClubV1, ClubV1> {}
}

/// The distance of a walker.
@Record package struct ClubWalker: ProjectionRow {
  package var who: String
  package var metres: Int
  package var walks: Int
  package var key: String { who }
  static let byMetres = SecondaryKey<ClubWalker, Int>("metres") { $0.metres }
  package static var secondaryKeys: [any DeclaredKey<ClubWalker>] { [byMetres] }
}

/// A version of the projection.
package protocol ClubVersion: Sendable {
  static var number: Int { get }
}
package enum ClubOne: ClubVersion { package static let number = 1 }
package enum ClubTwo: ClubVersion { package static let number = 2 }
package enum ClubThree: ClubVersion { package static let number = 3 }

/// The distances of all walkers.
package enum Distances<V: ClubVersion>: Projection {
  package typealias Event = ClubV1.Event
  package static var name: String { "distances" }
  package static var version: Int { V.number }
  package static var tables: [ProjectionTable] { [.rows(ClubWalker.self)] }
  package static var events: EventQuery<Event> { [\.walked] }

  package static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .walked(let walked) = entry.event else { return }
    try rows.update(ClubWalker.self, walked.who, initial: ClubWalker(who: walked.who, metres: 0, walks: 0)) {
      $0.metres += walked.metres
      $0.walks += 1
    }
  }
}

/// Folds views in a process of its own.
package struct ViewProgram {
  let url: URL

  package init(_ url: URL) { self.url = url }

  /// Appends walks, in calls of any size.
  package func append(_ count: Int, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let store = try EventStore(at: url, plan: Club.self)
    try await append(count, to: store, &random)
  }

  private func append(
    _ count: Int, to store: EventStore<Club>, _ random: inout SeededGenerator
  ) async throws {
    var left = count
    while left > 0 {
      let size = min(left, Int.random(in: 1...80, using: &random))
      left -= size
      let events: [ClubV1.Event] = (0..<size).map { _ in
        let who = "p\(Int.random(in: 0..<50, using: &random))"
        return Int.random(in: 0..<5, using: &random) == 0
          ? .rested(.init(who: who))
          : .walked(.init(who: who, metres: Int.random(in: 1..<50, using: &random)))
      }
      try await store.append(events.map { NewEvent($0) }, to: "walks")
    }
  }

  /// Folds a version, also appends if asked, and rebuilds it repeatedly, until it is killed.
  func run(_ version: Int, rebuilds: Bool, appends: Bool, seed: UInt64) async throws {
    switch version {
    case 1: try await run(Distances<ClubOne>.self, rebuilds, appends, seed)
    case 2: try await run(Distances<ClubTwo>.self, rebuilds, appends, seed)
    default: try await run(Distances<ClubThree>.self, rebuilds, appends, seed)
    }
  }

  private func run<P: Projection>(
    _ projection: P.Type, _ rebuilds: Bool, _ appends: Bool, _ seed: UInt64
  ) async throws where P.Event == ClubV1.Event {
    var random = SeededGenerator(seed: seed)
    let store = try EventStore(at: url, plan: Club.self)
    FaultProgram.ready()
    let view = try store.view(projection)
    while FaultProgram.hasParent {
      if rebuilds { try store.rebuild(projection) }
      if appends { try await append(20, to: store, &random) }
      let head = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() }
      try await view.waitUntil(head ?? 0, timeout: .seconds(120))
      // Slow enough that an observer in another process misses nothing, even after seconds without a
      // processor.
      try await Task.sleep(for: .milliseconds(appends && !rebuilds ? 10 : 2))
    }
  }

  /// The errors in the rows of a version after all was folded, compared with a fold of the log in memory.
  package func problems(_ version: Int) async throws -> [String] {
    switch version {
    case 1: try await problems(Distances<ClubOne>.self)
    case 2: try await problems(Distances<ClubTwo>.self)
    default: try await problems(Distances<ClubThree>.self)
    }
  }

  private func problems<P: Projection>(_ projection: P.Type) async throws -> [String]
  where P.Event == ClubV1.Event {
    let store = try EventStore(at: url, plan: Club.self)
    let view = try store.view(projection)
    let head = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() } ?? 0
    try await view.waitUntil(head, timeout: .seconds(120))
    let end = ContinuousClock.now + .seconds(120)
    while try view.status().servedVersion != P.version {
      guard ContinuousClock.now < end else {
        return ["version \(P.version) does not serve: \(try view.status())"]
      }
      try await Task.sleep(for: .milliseconds(5))
    }
    try await view.waitUntil(head, timeout: .seconds(120))
    var expected: [String: ClubWalker] = [:]
    for try await entry in store.entries() {
      guard case .walked(let walked) = entry.event else { continue }
      expected[walked.who, default: ClubWalker(who: walked.who, metres: 0, walks: 0)].metres += walked.metres
      expected[walked.who]?.walks += 1
    }
    var problems: [String] = []
    for number in 0..<50 {
      let who = "p\(number)"
      let row = try view.read { (snapshot) throws(AnnalsError) in try snapshot.get(ClubWalker.self, who) }
      if row?.metres != expected[who]?.metres || row?.walks != expected[who]?.walks {
        problems.append(
          "\(who): \(row?.metres ?? 0) metres, not \(expected[who]?.metres ?? 0), in \(row?.walks ?? 0) walks, not \(expected[who]?.walks ?? 0)"
        )
      }
    }
    let report = try EventLog.verify(url)
    return problems + report.findings.map { "\($0.place): \($0.problem)" }
  }
}
