import Synchronization

/// Lines that a test hears on other threads.
final class Heard: Sendable {
  private let state: Mutex<[String]> = Mutex([])

  var lines: [String] { state.withLock { $0 } }

  func add(_ line: String) { state.withLock { $0.append(line) } }
}
