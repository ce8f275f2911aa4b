import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

/// Whether a version may still change, where it is one that works something out from the whole log.
@Suite struct ActivatedDraftContractTests {
  @Test func `a draft that is activated before anything of it is stored may change its shapes still`()
    async throws
  {
    let place = try TemporaryStore()
    try await place.write([.counted(.init(n: 2))], as: Counts.self)
    var activating = StoreOptions()
    activating.activating = true
    let monday = try EventStore(at: place.url, plan: MondayPlan.self, options: activating)
    try await monday.append([.shared(.init(part: 5))], to: "all")
    let friday = try EventStore(at: place.url, plan: FridayPlan.self)
    try await friday.append([.shared(.init(part: 6, note: "n"))], to: "all")
    #expect(
      try friday.events() == [
        .shared(.init(part: 2, note: nil)), .shared(.init(part: 5, note: nil)),
        .shared(.init(part: 6, note: "n")),
      ])
  }

  @Test func `a released version that was stored before it was activated is not taken for a draft`()
    async throws
  {
    let place = try TemporaryStore()
    let newer = try EventStore(at: place.url, plan: ReleasedPlan.self)
    let older = try EventStore(at: place.url, plan: OneSchema<Counts>.self)
    try await newer.append([.shared(.init(part: 5))], to: "all")
    try await older.append([.counted(.init(n: 2))], to: "all")
    #expect(try place.read(ReleasedPlan.self, activating: true).count == 2)
    #expect(try place.refusal(of: EditedPlan.self)?.code == .shapeChanged)
    #expect(try place.read(ReleasedPlan.self).count == 2)
  }
}

@Schema(1, 0, 0) private enum Counts {
  @Record fileprivate struct Counted: Equatable { var n: Int }
}
@Schema(2, 0, 0, .draft) private enum Monday {
  @Record fileprivate struct Shared: Equatable { var part: Int }
}
@Schema(2, 0, 0, .draft) private enum Friday {
  @Record fileprivate struct Shared: Equatable {
    var part: Int
    var note: String?
  }
}
@Schema(2, 0, 0) private enum Released {
  @Record fileprivate struct Shared: Equatable { var part: Int }
}
@Schema(2, 0, 0) private enum Edited {
  @Record fileprivate struct Shared: Equatable {
    var part: Int
    var note: String?
  }
}
extension Friday.Event: Equatable {}

/// What the stage of each plan works out.
private func sum(_ history: StageHistory<Counts.Event>) throws -> [Int] {
  try history.reduce(into: [0]) { total, entry in
    if case .counted(let count) = entry.event { total[0] += count.n }
  }
}

private enum MondayPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Counts, Monday> {
    MigrationStage.custom(fromVersion: Counts.self, toVersion: Monday.self, prepare: sum) {
      Upcast(\.counted, to: \.shared) { _, _, sum in .init(part: sum[0]) }
    }
  }
}
private enum FridayPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Counts, Friday> {
    MigrationStage.custom(fromVersion: Counts.self, toVersion: Friday.self, prepare: sum) {
      Upcast(\.counted, to: \.shared) { _, _, sum in .init(part: sum[0]) }
    }
  }
}
private enum ReleasedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Counts, Released> {
    MigrationStage.custom(fromVersion: Counts.self, toVersion: Released.self, prepare: sum) {
      Upcast(\.counted, to: \.shared) { _, _, sum in .init(part: sum[0]) }
    }
  }
}
private enum EditedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Counts, Edited> {
    MigrationStage.custom(fromVersion: Counts.self, toVersion: Edited.self, prepare: sum) {
      Upcast(\.counted, to: \.shared) { _, _, sum in .init(part: sum[0]) }
    }
  }
}
