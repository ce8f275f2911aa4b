import Annals
import Testing

@Schema(1, 0, 0) enum RunsV1 {
  @Record struct RunLogged: Equatable { var kilometres: Double }
  @Record struct ShoesBought: Equatable { var model: String }
  @Record struct Probed: Equatable { var number: Int }
}

@Schema(2, 0, 0) enum RunsV2 {
  typealias RunLogged = RunsV1.RunLogged
  typealias ShoesBought = RunsV1.ShoesBought
  typealias Probed = RunsV1.Probed
}

enum RunPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<RunsV1, RunsV2> {
    MigrationStage.custom(fromVersion: RunsV1.self, toVersion: RunsV2.self) {
      Streams { events, origin in
        let name = origin.stream.text
        switch events.first {
        case .probed: return .dropped(reason: "a probe, not a run")
        case .shoesBought: return .moves(to: "shoes")
        default: break
        }
        // Two releases had two ways to name a runner.
        if name.hasPrefix("user ") { return .moves(to: StreamName("runner-\(name.dropFirst(5))")) }
        if name.hasPrefix("u/") { return .moves(to: StreamName("runner-\(name.dropFirst(2))")) }
        return .stays
      }
    }
  }
}

/// Logs a run in a runner's stream, which may be asked for by a name that it had once.
func log(_ run: RunsV2.RunLogged, to stream: StreamName, in store: EventStore<RunPlan>) async throws {
  do throws(AnnalsError) {
    try await store.append([.runLogged(run)], to: stream, expecting: .exists)
  } catch {
    guard error.code == .streamMoved, let moved = error.details.movedTo.first else { throw error }
    try await store.append([.runLogged(run)], to: moved, expecting: .exists)
  }
}

@Suite struct StreamsTests {
  private let place: TemporaryStore

  init() async throws {
    place = try TemporaryStore()
    try await place.write(
      [.runLogged(.init(kilometres: 5)), .shoesBought(.init(model: "Swift 2"))], as: RunsV1.self, to: "user 7"
    )
    try await place.write(
      [.probed(.init(number: 1)), .runLogged(.init(kilometres: 10))], as: RunsV1.self, to: "u/7")
  }

  private func open() throws -> EventStore<RunPlan> {
    var options = StoreOptions()
    options.migration = .beforeOpen()
    return try EventStore(at: place.url, plan: RunPlan.self, options: options)
  }

  // Promise P69.
  @Test func `streams are renamed, merged and split, and entries dropped`() async throws {
    let store = try open()
    let runs = try store.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries(in: "runner-7")
      var found: [String] = []
      while let entry = try entries.next() {
        if case .runLogged(let run) = entry.event {
          found.append("\(entry.position) \(entry.revision) \(run.kilometres)")
        }
      }
      return found
    }
    #expect(runs == ["1 0 5.0", "4 1 10.0"])
    try await store.append([.shoesBought(.init(model: "Swift 3"))], to: "shoes", expecting: .revision(0))
  }

  // Promise P70.
  @Test func `without a pass the store does not open`() throws {
    let error = #expect(throws: AnnalsError.self) { try EventStore(at: place.url, plan: RunPlan.self) }
    #expect(error?.code == .requiresPass)
  }

  // Promise P71.
  @Test func `a request for an old name reports the new one`() async throws {
    let store = try open()
    #expect(try store.log.moved(from: "user 7") == ["runner-7", "shoes"])
    try await log(.init(kilometres: 3), to: "user 7", in: store)
    let end = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.revision(of: "runner-7") }
    #expect(end == 2)
  }
}
