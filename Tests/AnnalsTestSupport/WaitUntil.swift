/// The timeout of a test that waited for a condition.
package struct WaitTimedOut: Error, CustomStringConvertible {
  package let description: String
}

/// Waits until `condition` is true.
///
/// The condition is checked every two milliseconds.
///
/// - Throws: ``WaitTimedOut`` after a minute, naming the caller's place; any error of `condition`.
package nonisolated(nonsending) func waitUntil(
  fileID: String = #fileID, line: Int = #line, _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(60)
  while try await !condition() {
    guard ContinuousClock.now < end else {
      throw WaitTimedOut(description: "\(fileID):\(line): the condition was still false after a minute")
    }
    try await Task.sleep(for: .milliseconds(2))
  }
}
