import Annals
import Foundation
import Synchronization
import Testing

@testable import AnnalsMigration

/// A pass that is stopped at a point, and leaves its work for the next one.
struct StoppedPass {
  private final class Box: Sendable {
    private let run = Mutex<MigrationRun?>(nil)

    func put(_ new: MigrationRun) { run.withLock { $0 = new } }

    /// Stops the run, which may still be on its way here.
    func stop() {
      while true {
        if let run = run.withLock({ $0 }) { return run.stop() }
        usleep(1_000)
      }
    }
  }

  private let point: PassPoint
  private let box = Box()

  init(at point: PassPoint) {
    self.point = point
  }

  /// Runs the pass that `begin` begins until it has stopped.
  func run(_ options: MigrationOptions, _ begin: (MigrationOptions) throws -> MigrationRun) async throws {
    var options = options
    let (point, box) = (point, box)
    options.atPoint = { if $0 == point { box.stop() } }
    let run = try begin(options)
    box.put(run)
    let error = await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(error?.code == .cancelled)
  }
}
