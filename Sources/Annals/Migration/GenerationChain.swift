/// The way from the generation that `CURRENT` names, through seals, to the one in use (docs/durability.md).
///
/// It only answers: whoever walks it reads a generation, tells what that says of itself, and is told what to do next.
struct GenerationChain: Equatable, Sendable {
  /// What comes after a look at a generation.
  enum Step: Equatable, Sendable {
    /// Its successor is to be looked at.
    case follow(UInt64)
    /// It is the one in use.
    case use
    /// It is the one in use, and its seal is left of a rollback that was cut short: whoever may write takes it away.
    case unseal
    /// No order of events leads here: the rows are damaged.
    case damaged
  }

  /// The generation that is to be looked at.
  private(set) var number: UInt64
  /// The epoch of the newest seal that led here; `nil` at the generation that `CURRENT` names.
  private(set) var arrived: UInt64?
  /// The generation whose seal led here.
  private(set) var previous: UInt64?

  /// The way from the generation that `CURRENT` names.
  init(from named: UInt64) {
    number = named
  }

  /// What to do after a look at generation ``number``, which says this of itself.
  mutating func step(_ state: StoreMeta.State, epoch: UInt64) -> Step {
    let reached = arrived ?? epoch
    switch state {
    case .live, .held:
      arrived = max(reached, epoch)
      return .use
    case .building:
      return .damaged
    case .sealed(let seal):
      if reached > seal.epoch { return .unseal }
      // Epochs rise with every seal on the way, so that it ends.
      guard seal.epoch > reached, seal.successor != number else { return .damaged }
      (previous, number, arrived) = (number, seal.successor, seal.epoch)
      return .follow(number)
    }
  }
}

extension Seal {
  /// Whether this seal of a generation speaks of a later switch than the one by which the generation was reached.
  func succeeds(arrived: UInt64) -> Bool { epoch > arrived }
}
