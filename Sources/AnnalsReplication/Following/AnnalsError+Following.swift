internal import AnnalsCoding

// Failures of a machine that follows the log of its cluster.
extension AnnalsError {
  /// Whether the cause may pass by itself, so that the machine tries again.
  var isPassing: Bool {
    switch code {
    case .busy, .diskFull, .notCommitted, .outcomeUnknown, .tooManyReaders, .inputOutput, .appendsSuspended,
      .requiresPass:
      true
    default: false
    }
  }

  /// The error for a position that the machine does not reach in time.
  static func notArrived(_ position: UInt64) -> AnnalsError {
    AnnalsError(
      .unavailable,
      "this machine has not applied position \(position) yet; nothing was written: try again, or see in its status what it waits for",
      details: Details { $0.position = Position(position) })
  }

  /// The error for a call whose place in the log is after the one at which the machine has stopped.
  init(stoppedBefore reason: AnnalsError) {
    self.init(
      .unavailable,
      "this machine has stopped, so whether the call is stored is not known here: \(reason.message)",
      details: reason.details)
  }
}
