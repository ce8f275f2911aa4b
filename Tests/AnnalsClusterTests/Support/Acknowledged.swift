import Synchronization

/// The messages that writers of a test were answered for, and whether the writers should end.
final class Acknowledged: Sendable {
  private struct State: Sendable {
    var messages: [UInt64: [UInt8]] = [:]
    var isOver = false
  }
  private let state = Mutex(State())

  var messages: [UInt64: [UInt8]] { state.withLock { $0.messages } }
  var isOver: Bool { state.withLock { $0.isOver } }

  func end() { state.withLock { $0.isOver = true } }

  /// Adds a message, and returns whether no other has its sequence.
  func add(_ bytes: [UInt8], at sequence: UInt64) -> Bool {
    state.withLock { $0.messages.updateValue(bytes, forKey: sequence) == nil }
  }
}
