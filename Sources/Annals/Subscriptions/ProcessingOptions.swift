/// What becomes of an entry that cannot be handled.
public struct PoisonPolicy: Hashable, Sendable {
  /// How often an entry is given to the handler before it is put aside; `nil` where processing stops at it.
  let attempts: Int?
  /// How long is waited between two attempts.
  let pause: Duration

  /// Processing stops before the entry, at the first error.
  public static let stop = PoisonPolicy(attempts: nil, pause: .zero)

  /// The entry is put aside after some attempts, and processing goes on behind it. One that the plan cannot read is put aside at once.
  ///
  /// - Parameters:
  ///   - attempts: 1 or more.
  ///   - pause: How long is waited between two attempts.
  public static func deadLetter(after attempts: Int, pause: Duration = .zero) -> PoisonPolicy {
    PoisonPolicy(attempts: max(1, attempts), pause: pause)
  }
}

/// How entries are handled one after the other.
public struct ProcessingOptions: Sendable {
  /// What becomes of an entry that cannot be handled; processing stops at it by default.
  public var poison: PoisonPolicy
  /// After how many handled entries the checkpoint is stored, 1 or more: so many may come again after a crash. It is stored besides where the log has no more, and at the end.
  public var interval: Int
  /// Whether a task waits until nobody else handles entries for the consumer, and takes over; if not, it is told `busy`.
  public var takesOver: Bool
  /// Whether it ends where the log ends, in place of waiting for more.
  public var endsAtHead: Bool

  /// Options that say nothing unusual: stop at what cannot be handled, store every 100 entries, refuse a second task, follow the log.
  public init(
    poison: PoisonPolicy = .stop, interval: Int = 100, takesOver: Bool = false, endsAtHead: Bool = false
  ) {
    self.poison = poison
    self.interval = interval
    self.takesOver = takesOver
    self.endsAtHead = endsAtHead
  }
}
