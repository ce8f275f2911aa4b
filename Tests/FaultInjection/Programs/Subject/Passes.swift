package import Annals
import Foundation
import Synchronization

/// How a workload's migration passes make their result durable.
package enum Passes: Int, Sendable {
  /// No passes.
  case none
  /// Each commit is on disk, because no other process writes.
  case synced
  /// Appends continue during a pass, which does not wait for the disk meanwhile.
  case unsynced

  /// Passes of small stores: a few entries a commit.
  package static func options() -> MigrationOptions {
    var options = MigrationOptions()
    options.batch = 6
    options.durableBatch = 6
    options.threads = 1
    return options
  }

  /// Removes replaced generations once the threads that used them have ended. A released log closes its files
  /// a little later.
  static func discard(_ url: URL) async throws(AnnalsError) {
    for _ in 0..<6_000 {
      do throws(AnnalsError) {
        _ = try EventLog.discardPrevious(url)
        return
      } catch {
        guard error.code == .busy else { throw error }
        usleep(5_000)
      }
    }
    _ = try EventLog.discardPrevious(url)
  }

  /// A pass whose switch is held and taken back.
  func switchAndReturn(_ url: URL) async throws {
    var options = Self.options()
    options.isHolding = true
    let log = try EventLog(at: url, options: Workload.options(.full))
    _ = try await log.compact(options).report()
    _ = try EventLog.rollback(url)
  }

  /// Runs a pass without appends.
  func run(_ url: URL) async throws {
    let log = try EventLog(at: url, options: Workload.options(.full))
    _ = try await log.compact(Self.options()).report()
  }

  /// Runs a pass that meets a writer: each batch waits for an append, and the first append waits for a batch.
  ///
  /// - Parameter body: Makes calls, and reports each that is done.
  func run(_ url: URL, beside body: (_ whenDone: @escaping @Sendable () -> Void) async throws -> Void)
    async throws
  {
    let log = try EventLog(at: url, options: Workload.options(.full))
    let meeting = Meeting()
    var options = Self.options()
    options.atPoint = { if $0 == .batchCommitted { meeting.waitForAppend() } }
    let run = try log.compact(options)
    meeting.waitForBatch()
    try await body { meeting.note() }
    meeting.end()
    _ = try await run.report()
  }
}

/// Keeps a pass and a writer abreast.
private final class Meeting: Sendable {
  private let appends = Atomic(0)
  private let batches = Atomic(0)
  private let isOver = Atomic(false)

  /// Notes that a call is done.
  func note() {
    appends.add(1, ordering: .relaxed)
    // Room for the batch.
    usleep(2_000)
  }

  /// Notes the end of the calls.
  func end() { isOver.store(true, ordering: .relaxed) }

  /// Waits until another call is done.
  func waitForAppend() {
    batches.add(1, ordering: .relaxed)
    let before = appends.load(ordering: .relaxed)
    while appends.load(ordering: .relaxed) == before, !isOver.load(ordering: .relaxed) { usleep(500) }
  }

  /// Waits until the pass has begun.
  func waitForBatch() {
    while batches.load(ordering: .relaxed) == 0 { usleep(500) }
  }
}
