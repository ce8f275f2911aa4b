internal import AnnalsFormat
internal import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The leftovers of an unfinished pass next to the generation in use.
enum PassLeftover: Equatable, Sendable {
  /// Nothing: no pass is unfinished.
  case none
  /// Only the row `pass` of the generation in use: the other generation's file was not created, or is gone.
  case row(PassRow)
  /// The generation that the pass was building, to be resumed or removed.
  case building(PassRow)
  /// A generation that was finished and never switched to. Entries may have been appended since to the one in
  /// use, so it is worthless.
  case unswitched(PassRow)
  /// A generation that cannot be read. No seal ever led to it, so it has nothing that the generation in use
  /// lacks.
  case broken(PassRow)
  /// A file with the number that is no generation of this pass: it is left alone.
  case unknown(PassRow)

  /// The state of another generation.
  struct Other: Equatable, Sendable {
    var state: StoreMeta.State
    var epoch: UInt64
    var predecessor: PredecessorRow?
  }

  /// Determines the leftovers of the unfinished pass.
  ///
  /// - Parameters:
  ///   - pass: The row `pass` of the generation in use.
  ///   - number: The number of the generation in use.
  ///   - epoch: Its epoch.
  ///   - other: The state of the generation that the row names; `nil` if it has no file.
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
    case .live, .appendsSuspended:
      let isOurs = other.predecessor?.generation == number && epoch < .max && other.epoch == epoch + 1
      self = isOurs ? .unswitched(pass) : .unknown(pass)
    default: self = .unknown(pass)
    }
  }
}
