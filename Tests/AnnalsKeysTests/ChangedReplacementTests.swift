import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsKeys

@Schema(1, 0, 0) private enum OneV1 {
  @Record struct Named: Equatable {
    var id: String
    @Field(personal: "id", erased: "one") var name: String
  }
}

@Schema(2, 0, 0) private enum OneV2 {
  @Record struct Named: Equatable {
    var id: String
    @Field(personal: "id", erased: "two") var name: String
  }
}

private enum OnePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<OneV1, OneV1> {}
}

private enum TwoPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<OneV1, OneV2> {
    MigrationStage.lightweight(fromVersion: OneV1.self, toVersion: OneV2.self)
  }
}

/// Versions that differ only in the replacements for values of forgotten people.
@Suite struct ChangedReplacementTests {
  private let directory: TemporaryDirectory
  private let keys = SubjectKeys()

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func store<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) throws -> EventStore<Plan> {
    var options = StoreOptions()
    options.keys = keys
    let url = directory.url.appendingPathComponent("people.annals")
    return try EventStore(at: url, plan: plan, options: options)
  }

  private func names(_ store: EventStore<TwoPlan>) throws -> [String] {
    try store.read { (snapshot) throws(AnnalsError) in
      var names: [String] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        if case .named(let event) = entry.event { names.append(event.name) }
      }
      return names
    }
  }

  @Test(arguments: [MigrationOptions.Comparison.full, .sampled])
  func `a pass keeps what forgotten people are read as`(comparison: MigrationOptions.Comparison) async throws
  {
    do {
      let store = try store(OnePlan.self)
      try await store.append(
        [.named(.init(id: "c1", name: "Ada")), .named(.init(id: "c2", name: "Ben"))], to: "people")
      try store.forget("c1", by: "jane", because: "request")
    }
    let store = try store(TwoPlan.self)
    #expect(try names(store) == ["one", "Ben"])
    var options = MigrationOptions()
    options.comparison = comparison
    let report = try await store.migrate(options).report()
    #expect(report.isDone)
    #expect(try names(store) == ["one", "Ben"])
    // An event of the newer version has the newer replacement.
    try await store.append([.named(.init(id: "c2", name: "Ben B."))], to: "people")
    try store.forget("c2", by: "jane", because: "request")
    #expect(try names(store) == ["one", "two", "two"])
    #expect(try EventLog.verify(directory.url.appendingPathComponent("people.annals")).isClean)
  }
}
