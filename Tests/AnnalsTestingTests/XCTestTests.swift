import Annals
import AnnalsTesting
import XCTest

/// The checks as XCTest runs them.
final class XCTestTests: XCTestCase {
  func testEveryVersionReadsAsEveryLaterOne() async throws {
    try await MigrationHarness(WorkoutPlan.self).check(requiringSamples: true)
  }

  func testABodyWeightReadsInKilograms() throws {
    try Given(WorkoutsV1.Event.bodyWeighed(.init(weight: 80)))
      .when(WorkoutPlan.self)
      .then([.bodyWeighed(.init(kilograms: 80, note: nil))])
  }

  func testAMismatchFailsWithText() {
    XCTAssertThrowsError(
      try Given(WorkoutsV1.Event.heartbeat(.init(n: 1))).when(WorkoutPlan.self).thenDropped()
    ) { error in
      XCTAssert("\(error)".contains("Heartbeat(n: 1)"))
    }
  }
}
