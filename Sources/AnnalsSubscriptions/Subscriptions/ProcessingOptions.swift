/// The policy for an entry that cannot be handled.
public struct PoisonPolicy: Hashable, Sendable {
  /// The number of attempts before the entry becomes a dead letter; `nil` if processing stops at it.
  let attempts: Int?
  /// The pause between two attempts.
  let pause: Duration

  /// Stops processing before the entry, at the first error.
  public static let stop = PoisonPolicy(attempts: nil, pause: .zero)

  /// Makes the entry a dead letter after some attempts, and continues after it. An entry that the plan cannot
  /// read becomes a dead letter at once.
  ///
  /// - Parameters:
  ///   - attempts: 1 or more.
  ///   - pause: The pause between two attempts.
  public static func deadLetter(after attempts: Int, pause: Duration = .zero) -> PoisonPolicy {
    PoisonPolicy(attempts: max(1, attempts), pause: pause)
  }
}

/// Options for handling entries one after the other.
public struct ProcessingOptions: Sendable {
  /// The policy for an entry that cannot be handled. The default is to stop at it.
  public var poison: PoisonPolicy
  /// The number of handled entries after which the checkpoint is stored, 1 or more. After a crash, that many
  /// may be delivered again. The checkpoint is also stored at the end of the log and at the end of
  /// processing.
  public var interval: Int
  /// Whether the task waits until no other task handles entries for the consumer, and then takes over. If
  /// `false`, the call fails with `busy`.
  public var takesOver: Bool
  /// Whether processing ends at the end of the log instead of waiting for more.
  public var endsAtHead: Bool

  /// Creates options. By default, processing stops at an entry that cannot be handled, stores a checkpoint
  /// every 100 entries, refuses a second task and follows the log.
  public init(
    poison: PoisonPolicy = .stop, interval: Int = 100, takesOver: Bool = false, endsAtHead: Bool = false
  ) {
    self.poison = poison
    self.interval = interval
    self.takesOver = takesOver
    self.endsAtHead = endsAtHead
  }
}
