internal import AnnalsCoding

/// The rule for what follows a decision that came too late: another attempt, and when, or the end.
///
/// It knows no clock and no store.
struct DecisionRetries: Hashable, Sendable {
  /// What follows a conflict.
  enum Step: Hashable, Sendable {
    /// The next attempt, after a pause.
    case retry(after: Duration)
    /// No attempt is left.
    case stop
    /// No attempt can begin before the timeout.
    case timedOut
  }

  /// The limit of the first pause. Each later limit is twice as long.
  static let firstPause = Duration.milliseconds(1)
  /// The limit of every pause.
  static let longestPause = Duration.milliseconds(128)

  /// The most attempts, from 1.
  var attempts: Int
  /// The time from the call after which no attempt begins; `nil` for no limit.
  var timeout: Duration?

  /// Decides what follows the conflict of an attempt.
  ///
  /// The pause is a random part of a limit that doubles with each attempt. Processes that met once therefore
  /// rarely meet again.
  ///
  /// - Parameters:
  ///   - attempt: The number of attempts so far, from 1.
  ///   - elapsed: The time since the call.
  ///   - chance: A random number from 0 to below 1.
  func next(afterAttempt attempt: Int, elapsed: Duration, chance: Double) -> Step {
    guard attempt < attempts else { return .stop }
    let doublings = min(attempt - 1, 16)
    let limit = min(Self.firstPause * (1 << doublings), Self.longestPause)
    let pause = limit * chance
    if let timeout, elapsed + pause >= timeout { return .timedOut }
    return .retry(after: pause)
  }

  /// The time that is left for the first attempt to begin; `nil` for no limit.
  func remaining(after elapsed: Duration) -> Duration? {
    timeout.map { max($0 - elapsed, .zero) }
  }
}
