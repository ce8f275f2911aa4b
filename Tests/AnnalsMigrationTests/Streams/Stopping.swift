import Dispatch
import Synchronization

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration

/// The run that a point of it stops, which is known only once it has begun.
final class Stopping: Sendable {
  private let run = Mutex<MigrationRun?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func put(_ new: MigrationRun) {
    run.withLock { $0 = new }
    isThere.signal()
  }

  func stop() { end { $0.stop() } }

  func cancel() { end { $0.cancel() } }

  func with(_ body: (MigrationRun) -> Void) { end(body) }

  private func end(_ body: (MigrationRun) -> Void) {
    isThere.wait()
    if let run = run.withLock({ $0 }) { body(run) }
    isThere.signal()
  }
}

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
