import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Fields whose meaning has changed under the same name.
extension OldestReaderTests {
  // Promise P73.
  @Test func `an older program does not read pounds where a newer one wrote kilograms`() async throws {
    let place = try TemporaryStore()
    try await place.write([.weighed(.init(weight: 100))], as: Weights1.self)
    let older = try EventStore(at: place.url, plan: OneSchema<Weights1>.self)
    try await place.write([.weighed(.init(weight: 45))], through: WeightPlan.self)
    let error = #expect(throws: AnnalsError.self) { try older.events() }
    #expect(error?.code == .newerSchema)
    #expect(error?.details.position == 2)
    #expect(try place.refusal(of: OneSchema<Weights1>.self)?.code == .newerSchema)
    #expect(try place.read(WeightPlan.self).count == 2)
  }

  @Test func `fields that moved into a part do not read as nil`() async throws {
    let place = try TemporaryStore()
    try await place.write([.sent(.init(to: .init(city: "Bath")))], through: PlungePlan.self)
    #expect(try place.refusal(of: OneSchema<Post1>.self)?.code == .newerSchema)
  }

  @Test func `a program that follows the log stops at what it must not read`() async throws {
    let place = try TemporaryStore()
    let older = try EventStore(at: place.url, plan: OneSchema<Weights1>.self)
    try await older.append([.weighed(.init(weight: 100))], to: "all")
    var seen: [Double] = []
    let newer = try EventStore(at: place.url, plan: WeightPlan.self)
    var code: AnnalsError.Code?
    do throws(AnnalsError) {
      var entries = older.subscribe(from: .beginning).makeAsyncIterator()
      while let next = try await entries.next() {
        if case .weighed(let weight) = next.entry.event { seen.append(weight.weight) }
        try await newer.append([.weighed(.init(weight: 45))], to: "all")
      }
    } catch {
      code = error.code
    }
    #expect(seen == [100])
    #expect(code == .newerSchema)
  }
}

@Schema(1, 0, 0) private enum Weights1 {
  @Record fileprivate struct Weighed: Equatable { var weight: Double }
}

@Schema(2, 0, 0) private enum Weights2 {
  @Record fileprivate struct Weighed: Equatable { var weight: Double }
}

private enum WeightPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Weights1, Weights2> {
    MigrationStage.custom(fromVersion: Weights1.self, toVersion: Weights2.self) {
      Upcast(\.weighed, to: \.weighed) { old, _ in .init(weight: old.weight * 0.45) }
    }
  }
}

@Schema(1, 0, 0) private enum Post1 {
  @Record fileprivate struct Sent: Equatable { var city: String? }
}

@Value private struct Address: Equatable { var city: String? }

@Schema(2, 0, 0) private enum Post2 {
  @Record fileprivate struct Sent: Equatable { var to: Address }
}

private enum PlungePlan: SchemaMigrationPlan {
  static var stages: MigrationChain<Post1, Post2> {
    MigrationStage.lightweight(fromVersion: Post1.self, toVersion: Post2.self) {
      Plunge(\.sent, into: \.to)
    }
  }
}
