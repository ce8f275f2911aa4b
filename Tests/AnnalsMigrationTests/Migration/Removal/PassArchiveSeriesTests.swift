import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// The archives of a plan that needs several passes: each pass has its own.
@Suite struct PassArchiveSeriesTests {
  private let place: TemporaryStore
  /// What each archive has: the field that its pass removes, and the values of it.
  private let expected = ["archive": "street", "archive.2": "floors", "archive.3": "owner"]

  init() async throws {
    place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: FirstTown.self)
    for number in 0..<30 {
      let built = TownsV1.Built(street: "s\(number)", floors: number, owner: "o\(number)", name: "n\(number)")
      try await store.append([.built(built)], to: StreamName("house \(number % 3)"))
    }
  }

  private func options(_ name: String? = "archive") -> MigrationOptions {
    var options = MigrationOptions()
    options.archive = name.map { place.archiveURL($0) }
    options.batch = 4
    options.durableBatch = 4
    return options
  }

  /// The names of files next to the store.
  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: place.directory.path)).subtracting([
      "orders.annals"
    ])
  }

  /// Each archive has a line for each entry with the field that its pass removes, and nothing else is there.
  private func expectAll(_ hint: Comment = "") throws {
    #expect(try names() == Set(expected.keys), hint)
    for (name, field) in expected {
      let lines = try place.archive(name)
      #expect(lines.compactMap { $0["position"] as? Int } == Array(1...30), "\(name) \(hint)")
      let removed = lines.compactMap { $0["removed"] as? [[String: Any]] }
      #expect(
        removed.allSatisfy { $0.count == 1 && $0[0]["path"] as? [String] == [field] }, "\(name) \(hint)")
      let prefix = field == "floors" ? "" : String(field.prefix(1))
      let values = removed.compactMap { $0.first?["value"] }.map { "\($0)" }
      #expect(values == (0..<30).map { "\(prefix)\($0)" }, "\(name) \(hint)")
    }
    let store = try EventStore(at: place.url, plan: Town.self)
    #expect(try store.events() == (0..<30).map { .built(.init(name: "n\($0)")) })
    #expect(try EventLog.verify(place.url).isClean)
  }

  /// Runs passes and stops the one numbered `number` (from 1) after its first batch.
  private func stop(inPass number: Int, _ options: MigrationOptions) async throws {
    var passes = try PlanMigration(at: place.url, plan: Town.self, to: nil, options: StoreOptions())
    for _ in 1..<number { _ = try await passes.next(options)?.report() }
    let stopping = Stopping()
    var last = options
    last.atPoint = { if $0 == .batchCommitted { stopping.stop() } }
    let run = try #require(try passes.next(last))
    stopping.put(run)
    let error = await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(error?.code == .cancelled)
  }

  @Test func `the second pass writes FILE.2, and the third one FILE.3`() async throws {
    try await place.migrate(Town.self, options())
    try expectAll()
  }

  @Test func `so do the passes of an open that migrates by itself`() async throws {
    _ = try EventStore(at: place.url, plan: Town.self, options: .passing(options()))
    try expectAll()
  }

  @Test(arguments: 1...3) func `the same call goes on with the pass that was interrupted`(
    number: Int
  ) async throws {
    try await stop(inPass: number, options())
    #expect(try names().filter { $0.hasPrefix("annals-archive-") }.count == 1)
    #expect(try names().count == number)
    try await place.migrate(Town.self, options())
    try expectAll("\(number)")
  }

  @Test(arguments: 1...3) func `so does an open that migrates by itself with the same archive`(
    number: Int
  ) async throws {
    try await stop(inPass: number, options())
    _ = try EventStore(at: place.url, plan: Town.self, options: .passing(options()))
    try expectAll("\(number)")
  }

  @Test(arguments: 1...3) func `the same call with restart begins that pass again`(
    number: Int
  ) async throws {
    try await stop(inPass: number, options())
    var again = options()
    again.unfinished = .discard
    try await place.migrate(Town.self, again)
    try expectAll("\(number)")
  }

  @Test func `another file is refused, and the error names the one to go on with`() async throws {
    try await stop(inPass: 2, options())
    for other in ["other", "archive.", "archive.02", "archive.1"] {
      let error = await #expect(throws: AnnalsError.self) {
        try await place.migrate(Town.self, options(other))
      }
      #expect(error?.code == .wrongUse, "\(other)")
      #expect(
        error?.message.contains("'--archive \(place.archiveURL("archive.2").path)'") == true,
        "\(other): \(String(describing: error))")
    }
    // The name of the error leads on, and the pass after it is the second one of that name.
    try await place.migrate(Town.self, options("archive.2"))
    #expect(try names() == ["archive", "archive.2", "archive.2.2"])
  }

  @Test func `a name that is taken refuses its pass alone`() async throws {
    try Data("mine".utf8).write(to: place.archiveURL("archive.2"))
    let error = await #expect(throws: AnnalsError.self) {
      try await place.migrate(Town.self, options())
    }
    #expect(error?.code == .cannotCreate)
    #expect(error?.message.contains(place.archiveURL("archive.2").path) == true)
    #expect(try place.archive().count == 30)
    #expect(try EventLog.inspect(place.url).generation == 2)
    #expect(try Data(contentsOf: place.archiveURL("archive.2")) == Data("mine".utf8))
    #expect(try names() == ["archive", "archive.2"])
  }

  @Test func `an open that migrates by itself is refused while a pass with an archive is unfinished`()
    async throws
  {
    for (number, name) in [(1, "archive"), (2, "archive.2")] {
      // The second call ends the first pass, which was stopped, and stops the second one.
      try await stop(inPass: number, options())
      for mode in [MigrationMode.beforeOpen(), .beforeOpen(options("other"))] {
        var open = StoreOptions()
        open.migration = mode
        let error = #expect(throws: AnnalsError.self) {
          try EventStore(at: place.url, plan: Town.self, options: open)
        }
        #expect(error?.code == .wrongUse, "\(String(describing: error))")
        let (message, path) = (error?.message ?? "", place.archiveURL(name).path)
        #expect(message.contains("archives what entries lose in '\(path)'"), "\(message)")
        #expect(message.contains("go on with MigrationOptions.archive ('--archive \(path)')"), "\(message)")
        #expect(message.contains("MigrationOptions.Unfinished.discard ('--restart')"), "\(message)")
      }
      // Nothing was changed: the pass and its archive are there.
      #expect(try EventLog.inspect(place.url).pass != nil)
      #expect(try names().filter { $0.hasPrefix("annals-archive-") }.count == 1)
    }
  }

  @Test func `an open that migrates by itself goes on as the refusal of another one says, or begins again`()
    async throws
  {
    try await stop(inPass: 3, options())
    var open = StoreOptions()
    open.migration = .inBackground()
    do {
      // Such an open is not held up: its pass is refused, and events are upcast as they are read.
      let store = try EventStore(at: place.url, plan: Town.self, options: open)
      let run = try #require(store.migration)
      let error = await #expect(throws: AnnalsError.self) { try await run.report() }
      #expect(error?.code == .wrongUse)
      #expect(error?.message.contains("'--archive \(place.archiveURL("archive.3").path)'") == true)
      #expect(try store.events().count == 30)
    }
    var discarding = options(nil)
    discarding.unfinished = .discard
    _ = try EventStore(at: place.url, plan: Town.self, options: .passing(discarding))
    // The number of the generation that was thrown away is used up.
    #expect(try EventLog.inspect(place.url).generation == 5)
    #expect(try names() == ["archive", "archive.2"])
  }
}

// Houses of a town, whose streams are renamed twice, and which lose a field at every stage.

@Schema(1, 0, 0) private enum TownsV1 {
  @Record fileprivate struct Built: Equatable {
    var street: String
    var floors: Int
    var owner: String
    var name: String
  }
}
@Schema(2, 0, 0) private enum TownsV2 {
  @Record fileprivate struct Built: Equatable {
    var floors: Int
    var owner: String
    var name: String
  }
}
@Schema(3, 0, 0) private enum TownsV3 {
  @Record fileprivate struct Built: Equatable {
    var owner: String
    var name: String
  }
}
@Schema(4, 0, 0) private enum TownsV4 {
  @Record fileprivate struct Built: Equatable { var name: String }
}

extension TownsV4.Event: Equatable {}

private enum FirstTown: SchemaMigrationPlan {
  static var stages: MigrationChain<TownsV1, TownsV1> {}
}

private enum Town: SchemaMigrationPlan {
  static var stages: MigrationChain<TownsV1, TownsV4> {
    MigrationStage.custom(fromVersion: TownsV1.self, toVersion: TownsV2.self) {
      Streams { _, origin in .moves(to: StreamName("h\(origin.stream.text.dropFirst(6))")) }
    }
    MigrationStage.custom(fromVersion: TownsV2.self, toVersion: TownsV3.self) {
      Streams { _, origin in .moves(to: StreamName("town \(origin.stream.text)")) }
    }
    MigrationStage.lightweight(fromVersion: TownsV3.self, toVersion: TownsV4.self)
  }
}
