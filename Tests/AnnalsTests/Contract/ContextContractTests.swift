import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsSchema
@testable import AnnalsStore

/// What a stage works out from the whole log.
@Suite struct ContextContractTests {
  private func seeded() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.write([.counted(.init(n: 2)), .counted(.init(n: 3))], as: Counts1.self)
    return place
  }

  @Test func `prepare reads the log as the stages before it leave it, context and all`() async throws {
    let place = try await seeded()
    // First 2 and 3 become shares of 5 in thousandths, then their sum of 400 and 600 is the context.
    #expect(
      try place.read(TwoContexts.self, activating: true) == [
        .weighed(.init(share: 400, of: 1000)), .weighed(.init(share: 600, of: 1000)),
      ])
    #expect(try place.read(TwoContexts.self).count == 2)
  }

  @Test func `a context is worked out once, however often the store is opened with activating`() async throws
  {
    let place = try await seeded()
    _ = try place.read(TwoContexts.self, activating: true)
    let files = try place.files()
    _ = try place.read(TwoContexts.self, activating: true)
    #expect(try place.files() == files)
  }

  @Test func `a context that was stored as another type is refused and left as it is`() async throws {
    let place = try await seeded()
    _ = try place.read(OneContext.self, activating: true)
    let error = try place.refusal(of: OtherContext.self, activating: true)
    #expect(error?.code == .shapeChanged)
    #expect(error?.details.version == SchemaVersion(2, 0, 0))
    #expect(try place.read(OneContext.self).count == 2)
  }

  @Test func `a store opened for reading only is not activated`() async throws {
    let place = try await seeded()
    let files = try place.files()
    var options = StoreOptions(access: .readOnly)
    options.activating = true
    let error = #expect(throws: AnnalsError.self) {
      try EventStore(at: place.url, plan: OneContext.self, options: options)
    }
    #expect(error?.code == .readOnly)
    #expect(try place.files() == files)
  }

  @Test func `a stage that sees both sides may refuse, and its rules see no context but their own`() throws {
    let stage = MigrationStage.custom(
      fromVersion: Counts1.self, toVersion: Shares.self, verify: { _, _ in }, rules: { Self.rule })
    #expect(stage.prepare == nil)
    #expect(stage.verify != nil)
  }

  private static var rule: Rule<Counts1, Shares, NoContext> {
    Upcast(\.counted, to: \.shared) { old, _ in .init(thousandths: old.n) }
  }
}

@Schema(1, 0, 0) private enum Counts1 {
  @Record fileprivate struct Counted: Equatable { var n: Int }
}
@Schema(2, 0, 0) private enum Shares {
  @Record fileprivate struct Shared: Equatable { var thousandths: Int }
}
@Schema(3, 0, 0) private enum Weights {
  @Record fileprivate struct Weighed: Equatable {
    var share: Int
    var of: Int
  }
}
extension Shares.Event: Equatable {}
extension Weights.Event: Equatable {}

private struct Sum: Codable {
  var sum = 0
}

private enum OneContext: SchemaMigrationPlan {
  static var stages: MigrationChain<Counts1, Shares> { stage }

  static var stage: MigrationStage<Counts1, Shares> {
    MigrationStage.custom(
      fromVersion: Counts1.self, toVersion: Shares.self,
      prepare: { history in
        try history.reduce(into: Sum()) { total, entry in
          if case .counted(let count) = entry.event { total.sum += count.n }
        }
      }
    ) {
      Upcast(\.counted, to: \.shared) { old, _, total in .init(thousandths: old.n * 1000 / total.sum) }
    }
  }
}
private enum OtherContext: SchemaMigrationPlan {
  static var stages: MigrationChain<Counts1, Shares> {
    MigrationStage.custom(
      fromVersion: Counts1.self, toVersion: Shares.self,
      prepare: { _ in ["sum"] }
    ) {
      Upcast(\.counted, to: \.shared) { old, _, names in .init(thousandths: old.n * names.count) }
    }
  }
}
private enum TwoContexts: SchemaMigrationPlan {
  static var stages: MigrationChain<Counts1, Weights> {
    OneContext.stage
    MigrationStage.custom(
      fromVersion: Shares.self, toVersion: Weights.self,
      prepare: { history in
        try history.reduce(into: Sum()) { total, entry in
          if case .shared(let share) = entry.event { total.sum += share.thousandths }
        }
      }
    ) {
      Upcast(\.shared, to: \.weighed) { old, _, total in .init(share: old.thousandths, of: total.sum) }
    }
  }
}
