import Synchronization

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration

extension TemporaryStore {
  /// Runs every pass of a plan.
  func migrate<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ options: MigrationOptions = MigrationOptions(), activating: Bool = false
  ) async throws {
    var all = StoreOptions.merging(every: 16)
    all.activating = activating
    var passes = try PlanMigration(at: url, plan: plan, to: nil, options: all)
    while let run = try passes.next(options) { _ = try await run.report() }
  }
}

/// Counts from 1.
final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
