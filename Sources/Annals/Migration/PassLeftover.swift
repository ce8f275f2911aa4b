#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What an unfinished pass has left beside the generation in use.
enum PassLeftover: Equatable, Sendable {
  /// Nothing: no pass is unfinished.
  case none
  /// Only the row `pass` of the generation in use: the other generation's file was not made, or is gone.
  case row(PassRow)
  /// The generation that the pass was building, to be resumed or removed.
  case building(PassRow)
  /// A generation that was finished and never switched to. Entries may have been appended since to the one in use, so nothing of it counts.
  case unswitched(PassRow)
  /// What the pass was building cannot be read. No seal ever led to it, so nothing is in it that the generation in use lacks.
  case broken(PassRow)
  /// A file has the number that is no generation of this pass: it is left alone.
  case unknown(PassRow)

  /// What another generation says of itself.
  struct Other: Equatable, Sendable {
    var state: StoreMeta.State
    var epoch: UInt64
    var predecessor: PredecessorRow?
  }

  /// What the unfinished pass has left.
  ///
  /// - Parameters:
  ///   - pass: The row `pass` of the generation in use.
  ///   - number: The number of the generation in use.
  ///   - epoch: Its epoch.
  ///   - other: What the generation says of itself that the row names; `nil` where it has no file.
  init(pass: PassRow?, of number: UInt64, epoch: UInt64, other: Other?) {
    guard let pass else {
      self = .none
      return
    }
    guard let other else {
      self = .row(pass)
      return
    }
    switch other.state {
    case .building(let id) where id == pass.id: self = .building(pass)
    case .live, .held:
      let isOurs = other.predecessor?.generation == number && epoch < .max && other.epoch == epoch + 1
      self = isOurs ? .unswitched(pass) : .unknown(pass)
    default: self = .unknown(pass)
    }
  }
}
