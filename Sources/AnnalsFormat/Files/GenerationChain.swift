/// The chain from the generation that `CURRENT` names, through seals, to the one in use (docs/durability.md).
///
/// It reads nothing itself: the caller reads a generation, passes its state, and receives the next step.
package struct GenerationChain: Equatable, Sendable {
  /// The step after a generation was read.
  package enum Step: Equatable, Sendable {
    /// Read its successor.
    case follow(UInt64)
    /// It is the one in use.
    case use
    /// It is the one in use, and its seal remains from an interrupted rollback. A process that may write
    /// removes it.
    case unseal
    /// No order of events leads here: the rows are damaged.
    case damaged
  }

  /// The generation to read.
  package private(set) var number: UInt64
  /// The epoch of the newest seal that led here; `nil` at the generation that `CURRENT` names.
  package private(set) var arrived: UInt64?
  /// The generation whose seal led here.
  package private(set) var previous: UInt64?

  /// Creates the chain from the generation that `CURRENT` names.
  package init(from named: UInt64) {
    number = named
  }

  /// Returns the step for generation ``number``, which has this state.
  package mutating func step(_ state: StoreMeta.State, epoch: UInt64) -> Step {
    let reached = arrived ?? epoch
    switch state {
    case .live, .appendsSuspended:
      arrived = max(reached, epoch)
      return .use
    case .building:
      return .damaged
    case .sealed(let seal):
      if reached > seal.epoch { return .unseal }
      // Epochs rise with every seal on the way, so the chain ends.
      guard seal.epoch > reached, seal.successor != number else { return .damaged }
      (previous, number, arrived) = (number, seal.successor, seal.epoch)
      return .follow(number)
    }
  }
}

extension Seal {
  /// Whether this seal of a generation is of a later switch than the one to the generation.
  package func succeeds(arrived: UInt64) -> Bool { epoch > arrived }
}
