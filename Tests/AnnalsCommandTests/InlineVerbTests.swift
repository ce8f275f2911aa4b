import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// Unique titles of parks.
private enum ParkTitles: InlineProjection {
  typealias Event = ParksV2.Event
  @Record struct Title: ProjectionRow {
    var title: String
    var city: String
    var key: String { title }
  }

  static let name = "titles"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Title.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .parkOpened(let park) = entry.event else { return }
    guard try rows.get(Title.self, park.title) == nil else { throw Rejection("there is such a park") }
    try rows.put(Title(title: park.title, city: park.city))
  }
}

/// The same rows under the same version with another fold, as if somebody had forgotten to raise the version.
private enum ParkTitlesEdited: InlineProjection {
  typealias Event = ParksV2.Event
  static let name = "titles"
  static let version = 1
  static var tables: [ProjectionTable] { ParkTitles.tables }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .parkOpened(let park) = entry.event else { return }
    try rows.put(ParkTitles.Title(title: park.title, city: park.city.uppercased()))
  }
}

/// Other tables under the same version.
private enum ParkTitlesWidened: InlineProjection {
  typealias Event = ParksV2.Event
  @Record struct Title: ProjectionRow {
    var title: String
    var city: String
    var country: String
    var key: String { title }
  }

  static let name = "titles"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Title.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {}
}

/// The next version.
private enum ParkTitlesV2: InlineProjection {
  typealias Event = ParksV2.Event
  static let name = "titles"
  static let version = 2
  static var tables: [ProjectionTable] { ParkTitles.tables }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    try ParkTitlesEdited.apply(entry, to: &rows)
  }
}

/// The number of visitors.
private enum ParkVisitors: InlineProjection {
  typealias Event = ParksV2.Event
  @Record struct Count: ProjectionRow {
    var park: String
    var visitors: Int
    var key: String { park }
  }

  static let name = "visitors"
  static let version = 3
  static var tables: [ProjectionTable] { [.rows(Count.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .visited(let visit) = entry.event else { return }
    let park = entry.stream.text
    try rows.update(Count.self, park, initial: Count(park: park, visitors: 0)) {
      $0.visitors += visit.visitors
    }
  }
}

/// Refuses an event that every store of these tests has.
private enum ParkRefusals: InlineProjection {
  typealias Event = ParksV2.Event
  static let name = "refusals"
  static let version = 1
  static var tables: [ProjectionTable] { ParkTitles.tables }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    throw Rejection("nothing is taken")
  }
}

/// The output and effects of commands on inline projections.
struct InlineVerbTests {
  private typealias Inline = [any InlineProjection<ParksV2.Event>.Type]

  private func run(_ words: String..., inline: Inline = []) async -> CommandRun {
    await CommandRun(words, MaintenanceCommand<ParkPlan>.command(called: "parks", [], inline))
  }

  @discardableResult
  private func open(_ store: String, _ inline: Inline) throws -> EventStore<ParkPlan> {
    var options = StoreOptions()
    options.activating = true
    return try EventStore(at: URL(filePath: store), plan: ParkPlan.self, options: options, inline: inline)
  }

  @Test("a store with an inline projection in force is migrated by a command that knows it")
  func migration() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks(withFailure: false)
    try open(store, [ParkTitles.self])
    let refused = await run("migrate", store)
    #expect(refused.status == 65 && refused.errors.contains("needsPlan"), "\(refused.errors)")
    let file = try folder.write("one.jsonl", #"{"stream":"a","type":"T","data":{}}"#)
    #expect(await run("import", store, file).status == 65)
    #expect(await run("migrate", store, inline: [ParkTitles.self]).status == 0)
    #expect(await run("verify", store, inline: [ParkTitles.self]).status == 0)
    let city = try open(store, [ParkTitles.self]).read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(ParkTitles.self).get(ParkTitles.Title.self, "Mill")?.city
    }
    #expect(city == "Nantes")
  }

  @Test func `A store with an inline projection is compacted by every command`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks(withFailure: false)
    try open(store, [ParkTitles.self, ParkVisitors.self])
    for command in [await CommandRun("compact", store), await run("compact", store)] {
      #expect(command.status == 0, "\(command.errors)")
    }
    let verified = await run("verify", store, inline: [ParkTitles.self, ParkVisitors.self])
    #expect(verified.status == 0, "\(verified.lines)")
    let lines = await CommandRun("views", store).lines.dropFirst()
    #expect(lines.allSatisfy { $0.contains("\tlive\t4\t0\t") }, "\(lines)")
  }

  @Test("the command for every store lists inline projections, with how far they are")
  func listing() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks(withFailure: false)
    try open(store, [ParkTitles.self, ParkVisitors.self])
    #expect(
      await CommandRun("views", store).lines == [
        "name\tversion\tstate\tposition\tlag\tbytes\tfolded",
        "titles\t1\tlive\t4\t0\tin the log's file\t-",
        "visitors\t3\tlive\t4\t0\tin the log's file\t-",
      ])
    let program = try EventStore(
      at: URL(filePath: store), plan: ParkPlan.self, inline: [ParkTitles.self, ParkVisitors.self])
    try await program.append([.visited(.init(visitors: 3))], to: "park/2")
    let objects = try await CommandRun("views", store, "--json").objects()
    #expect(objects.map { $0["inline"] as? String } == ["titles", "visitors"])
    #expect(objects.map { $0["lag"] as? Int } == [0, 0])
    #expect(objects.map { $0["position"] as? Int } == [5, 5])
    #expect(objects.allSatisfy { $0["state"] as? String == "live" })
  }

  @Test("the command of a plan says what its inline projections need")
  func needs() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks(withFailure: false)
    func said(_ inline: Inline) async -> [String] {
      await run("views", store, inline: inline).lines.filter { !$0.contains("\t") }
    }
    #expect(
      await said([ParkTitles.self, ParkVisitors.self]) == [
        "titles 1: to be activated, because this version is not in force here",
        "visitors 3: to be activated, because this version is not in force here",
      ])
    #expect(await run("activate", store, "--dry-run", inline: [ParkTitles.self]).status == 0)
    #expect(try EventLog(at: URL(filePath: store)).inlineProjections().isEmpty)
    let activated = await run("activate", store, inline: [ParkTitles.self, ParkVisitors.self])
    #expect(activated.status == 0, "\(activated.errors)")
    #expect(
      activated.lines.suffix(2) == [
        "inline projection 'titles', version 1, is in force",
        "inline projection 'visitors', version 3, is in force",
      ])
    #expect(
      await said([ParkTitles.self, ParkVisitors.self]) == ["titles 1: up to date", "visitors 3: up to date"])
    #expect(await said([ParkTitlesWidened.self])[0].contains("other tables"))
    let raised = await said([ParkTitlesV2.self])
    #expect(raised == ["titles 2: to be activated, because version 1 is in force"])
    // Nothing of this has changed the store.
    #expect(try EventLog(at: URL(filePath: store)).inlineProjections().map(\.version) == [1, 3])
    try open(store, [ParkTitlesV2.self])
    let older = try await run("views", store, "--json", inline: [ParkTitles.self]).objects()
    #expect(older.last?["projection"] as? String == "titles" && older.last?["needsBuild"] as? Bool == false)
    #expect((older.last?["reason"] as? String)?.contains("version 2") == true)
  }

  @Test("verify of a plan's command finds sound rows that differ from the log")
  func verify() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks(withFailure: false)
    try open(store, [ParkTitles.self, ParkVisitors.self])
    let before = try TemporaryDirectory.content(store)
    #expect(await run("verify", store, inline: [ParkTitles.self, ParkVisitors.self]).status == 0)
    #expect(await CommandRun("verify", store).status == 0)
    let wrong = await run("verify", store, inline: [ParkTitlesEdited.self, ParkVisitors.self])
    #expect(wrong.status == 1)
    #expect(
      wrong.lines == [
        "inline projection 'titles', version 1: a row differs from the one that the log gives; rebuild from the log",
        "4 entries in 1 streams, 1 findings",
      ])
    let objects = try await run("verify", store, "--json", inline: [ParkTitlesEdited.self]).objects()
    #expect(objects.first?["place"] as? String == "inline projection 'titles', version 1")
    #expect(objects.last?["findings"] as? Int == 1)
    #expect(try TemporaryDirectory.content(store) == before)
    // Projections that are not in force in the program's version are not compared.
    #expect(await run("verify", store, inline: [ParkTitlesV2.self, ParkRefusals.self]).status == 0)
    let widened = await run("verify", store, inline: [ParkTitlesWidened.self])
    #expect(widened.status == 65 && widened.errors.contains("shapeChanged"), "\(widened.errors)")
  }

  @Test(
    "verify of a plan's command reports a damaged log, and that rows cannot be compared with it"
  )
  func damage() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks(withFailure: false)
    try open(store, [ParkTitles.self])
    let log = URL(filePath: store + "/log-000001.mdb")
    var bytes = try Data(contentsOf: log)
    var start = bytes.startIndex
    while let found = bytes.range(of: Data("oak".utf8), in: start..<bytes.endIndex) {
      bytes[found.lowerBound] ^= 0x20
      start = found.upperBound
    }
    try bytes.write(to: log)
    let run = await run("verify", store, inline: [ParkTitles.self])
    #expect(run.status == 1 && run.errors == "", "\(run.errors)")
    #expect(run.lines.contains { $0.hasPrefix("position 2") }, "\(run.output)")
    #expect(
      run.lines.contains {
        $0
          == "inline projection 'titles', version 1: its rows cannot be compared with a log that is damaged; restore from a backup"
      }, "\(run.output)")
    let last = run.lines.last ?? ""
    #expect(last.hasSuffix(" findings"), "\(run.output)")
  }
}
