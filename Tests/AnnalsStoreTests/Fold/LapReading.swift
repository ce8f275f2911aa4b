@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// Reads a race's store with the plan of one version, whichever that is.
protocol LapReading {
  /// Opens the store, activating the plan's stages.
  init(_ place: TemporaryStore) throws

  /// What a read of the whole log gives.
  func all(from: UInt64?, backwards: Bool, limit: Int) throws -> [LapModel.Item]
  /// What a read of a stream gives.
  func all(in stream: String, from: UInt64?, backwards: Bool, limit: Int) throws -> [LapModel.Item]
  /// What reads for a loop that waits give.
  func waiting(in stream: String?, backwards: Bool) async throws -> [LapModel.Item]
  /// Does a migration pass.
  func migrate(_ options: MigrationOptions) async throws -> MigrationReport
}

extension LapReading {
  func all() throws -> [LapModel.Item] { try all(from: nil, backwards: false, limit: .max) }
  func migrate() async throws -> MigrationReport { try await migrate(MigrationOptions()) }
}

/// The plans of the race by version.
enum LapPlans {
  static func open(_ version: Int, _ place: TemporaryStore) throws -> any LapReading {
    switch version {
    case 2: try LapReader<LapPlan2>(place)
    case 3: try LapReader<LapPlan3>(place)
    case 4: try LapReader<LapPlan4>(place)
    case 5: try LapReader<LapPlan5>(place)
    case 6: try LapReader<LapPlan6>(place)
    default: try LapReader<LapPlan7>(place)
    }
  }
}

/// A store of the race as programs with one plan read it.
struct LapReader<Plan: SchemaMigrationPlan>: LapReading where Plan.Current.Event: LapEvent {
  let store: EventStore<Plan>

  init(_ place: TemporaryStore) throws {
    var options = StoreOptions.merging(every: 16)
    options.activating = true
    store = try EventStore(at: place.url, plan: Plan.self, options: options)
  }

  func all(from: UInt64?, backwards: Bool, limit: Int) throws -> [LapModel.Item] {
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(from: from.map { Position($0) }, backwards: backwards, limit: limit)
      var items: [LapModel.Item] = []
      while let entry = try entries.next() { items.append(.init(entry)) }
      return items
    }
  }

  func all(in stream: String, from: UInt64?, backwards: Bool, limit: Int) throws -> [LapModel.Item] {
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(
        in: StreamName(stream), from: from.map { Revision($0) }, backwards: backwards, limit: limit)
      var items: [LapModel.Item] = []
      while let entry = try entries.next() { items.append(.init(entry)) }
      return items
    }
  }

  func waiting(in stream: String?, backwards: Bool) async throws -> [LapModel.Item] {
    let entries =
      if let stream { store.entries(in: StreamName(stream), backwards: backwards) } else {
        store.entries(backwards: backwards)
      }
    var items: [LapModel.Item] = []
    for try await entry in entries { items.append(.init(entry)) }
    return items
  }

  func migrate(_ options: MigrationOptions) async throws -> MigrationReport {
    try await store.migrate(options).report()
  }
}

extension LapModel.Item {
  init(_ entry: Entry<some LapEvent>) {
    self.init(
      position: entry.position.rawValue, stream: entry.stream.text, revision: entry.revision.rawValue,
      path: entry.path, fact: entry.event.fact)
  }
}
