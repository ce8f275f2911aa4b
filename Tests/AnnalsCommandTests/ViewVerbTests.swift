import Annals
import Foundation
import Synchronization
import Testing

@testable import AnnalsCommand

/// The number of trees of each kind.
private enum ParkTrees: Projection {
  typealias Event = ParksV2.Event
  @Record struct Kind: ProjectionRow {
    var kind: String
    var count: Int
    var key: String { kind }
  }

  static let name = "trees"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Kind.self)] }
  static var events: EventQuery<Event> { [\.treePlanted] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .treePlanted(let tree) = entry.event else { return }
    try rows.update(Kind.self, tree.kind, initial: Kind(kind: tree.kind, count: 0)) { $0.count += 1 }
  }
}

/// The same in the next version.
private enum ParkTreesV2: Projection {
  typealias Event = ParksV2.Event
  @Record struct Kind: ProjectionRow {
    var kind: String
    var count: Int
    var last: Position?
    var key: String { kind }
  }

  static let name = "trees"
  static let version = 2
  static var tables: [ProjectionTable] { [.rows(Kind.self)] }
  static var events: EventQuery<Event> { [\.treePlanted] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .treePlanted(let tree) = entry.event else { return }
    try rows.update(Kind.self, tree.kind, initial: Kind(kind: tree.kind, count: 0, last: nil)) {
      $0.count += 1
      $0.last = entry.position
    }
  }
}

/// Trees that are not always counted.
private enum ParkWhims: Projection {
  static let refuses = Atomic(false)
  struct Refused: Error {}

  typealias Event = ParksV2.Event
  static let name = "whims"
  static let version = 1
  static var tables: [ProjectionTable] { ParkTrees.tables }
  static var events: EventQuery<Event> { ParkTrees.events }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    if refuses.load(ordering: .acquiring) { throw Refused() }
    try ParkTrees.apply(entry, to: &rows)
  }
}

struct ViewVerbTests {
  private func run(
    _ words: String..., projections: [any Projection<ParksV2.Event>.Type] = []
  ) async -> CommandRun {
    await CommandRun(words, MaintenanceCommand<ParkPlan>.command(called: "parks", projections))
  }

  @Test("views are listed, rebuilt, and reported as due under a raised version")
  func views() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks(withFailure: false)
    #expect(await run("views", store).lines == ["name\tversion\tstate\tposition\tlag\tbytes\tfolded"])
    let due = await run("views", store, projections: [ParkTrees.self])
    #expect(due.lines.last == "trees 1: to be built, because this version has not been built here")
    let built = await run("rebuild", store, "trees", projections: [ParkTrees.self])
    #expect(built.status == 0, "\(built.errors)")
    #expect(built.output.hasPrefix("'trees', version 1, is built up to position "))
    #expect(await run("views", store, projections: [ParkTrees.self]).lines.last == "trees 1: up to date")
    let raised = await run("views", store, "--json", projections: [ParkTreesV2.self])
    // The next program that opens the store removes an outlived file.
    let objects = try raised.objects().filter { $0["state"] as? String != "outlived" }
    #expect(objects.count == 2)
    #expect(objects.first?["name"] as? String == "trees" && objects.first?["state"] as? String == "ready")
    #expect(objects.first?["lag"] as? Int == 0)
    #expect(objects.last?["needsBuild"] as? Bool == true)
    #expect(objects.last?["reason"] as? String == "version 1 is there")
    #expect(await run("rebuild", store, "--json", "trees", projections: [ParkTreesV2.self]).status == 0)
    let old = await run("views", store, projections: [ParkTrees.self, ParkTreesV2.self])
    #expect(old.status == 0, "\(old.errors)")
    // Its file may be there still; it is not to be built in either case.
    #expect(old.lines.suffix(2).first?.hasPrefix("trees 1: to be built") == false, "\(old.output)")
    #expect(old.lines.last == "trees 2: up to date")
    let oldObject = try await run("views", store, "--json", projections: [ParkTrees.self]).objects().last
    #expect(oldObject?["needsBuild"] as? Bool == false)
    // The command for every store lists the same views.
    let generic = try await CommandRun("views", store, "--json").objects()
    #expect(generic.contains { $0["version"] as? Int == 2 && $0["state"] as? String == "ready" })
    let unknown = await run("rebuild", store, "trees")
    #expect(unknown.status == 64)
    #expect(await CommandRun("views", folder.path("nothing")).status == 66)
  }

  @Test(
    "a rebuild that cannot come to its end says why, although the old rows serve", .timeLimit(.minutes(1)))
  func stopped() async throws {
    defer { ParkWhims.refuses.store(false, ordering: .releasing) }
    let folder = try TemporaryDirectory()
    let store = try await folder.parks(withFailure: false)
    #expect(await run("rebuild", store, "whims", projections: [ParkWhims.self]).status == 0)
    ParkWhims.refuses.store(true, ordering: .releasing)
    let refused = await run("rebuild", store, "whims", projections: [ParkWhims.self])
    #expect(
      refused.status == 1 && refused.errors.contains("ruleFailed"), "\(refused.status) \(refused.errors)")
    ParkWhims.refuses.store(false, ordering: .releasing)
    #expect(await run("rebuild", store, "whims", projections: [ParkWhims.self]).status == 0)
  }
}
