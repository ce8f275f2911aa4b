import Foundation

@testable import AnnalsFormat
@testable import AnnalsLog

/// A model of the generations of one store and of all its users. Each step makes one commit, rename or
/// removal durable.
struct ChainModel: Hashable {
  /// The order of the steps of a switch and of a rollback.
  enum Order: Hashable, CaseIterable {
    /// As in docs/durability.md.
    case right
    /// `CURRENT` is renamed before the seal is committed.
    case currentBeforeSeal
    /// A rollback takes the older seal away before it commits the newer one.
    case unsealFirst
    /// Seals have no epochs: a program follows every seal it meets.
    case withoutEpochs
  }

  /// Every pass has its own id. In the model, its number identifies it.
  static func id(_ pass: UInt64) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: pass)))
  }

  /// The contents of a generation's file.
  struct File: Hashable {
    enum State: Hashable {
      case building(UInt64)
      case live
      case sealed(UInt64, UInt64)
    }
    var state = State.live
    var epoch: UInt64 = 0
    /// The entries, as the numbers of their appends.
    var entries: [Int] = []
    /// The pass that copies it, and into which generation.
    var pass: UInt64?
    var predecessor: UInt64?
    var last = 0

    var meta: StoreMeta.State {
      switch state {
      case .building(let pass): .building(pass: ChainModel.id(pass))
      case .live: .live
      case .sealed(let successor, let epoch): .sealed(Seal(successor: successor, epoch: epoch))
      }
    }
  }

  /// The state of a writer.
  enum Writer: Hashable {
    case closed
    /// On the way from the generation that `CURRENT` named.
    case walking(named: UInt64, at: UInt64, arrived: UInt64?, hops: Int)
    /// Holds the lease of the generation it reached, and reads `CURRENT` once more.
    case arriving(named: UInt64, at: UInt64, arrived: UInt64)
    case attached(UInt64, arrived: UInt64)
  }

  /// The next action of the process that holds `pass.lock`.
  enum Runner: Hashable {
    case idle
    case prepare(Work)
    case record(Work)
    case clear(UInt64)
    case note(UInt64)
    case build(UInt64, UInt64)
    case lock(UInt64, UInt64)
    case finish(UInt64, UInt64)
    case seal(UInt64, UInt64)
    case name(UInt64)
    case sealNewer(UInt64, UInt64)
    case unsealOlder(UInt64, UInt64)
    case forget(UInt64)
    case remove(UInt64)
  }
  enum Work: Hashable { case pass, rollback, discard }

  let order: Order
  var current: UInt64 = 1
  var files: [UInt64: File] = [1: File()]
  var newest: UInt64 = 1
  var writers: [Writer]
  var runner = Runner.idle
  /// Whether the runner has `write.lock`.
  var isLocked = false
  /// The appends that were answered.
  var answered: [Int] = []
  var appendsLeft: Int
  var killsLeft: Int
  var passesLeft: Int
  var rollbacksLeft: Int
  var discardsLeft: Int
  /// The violated invariant, if any.
  var violation: String?

  init(_ order: Order, appends: Int, kills: Int, passes: Int, rollbacks: Int, discards: Int) {
    self.order = order
    // One that came before all others, and one that opens at any time.
    writers = [.attached(1, arrived: 0), .closed]
    appendsLeft = appends
    killsLeft = kills
    passesLeft = passes
    rollbacksLeft = rollbacks
    discardsLeft = discards
  }
}

extension ChainModel {
  /// The result of a look at a generation.
  enum Found: Hashable {
    case follow(UInt64, arrived: UInt64)
    case use(arrived: UInt64)
    case unseal(arrived: UInt64)
    case failed
  }

  func look(at number: UInt64, arrived: UInt64?, hops: Int) -> Found {
    guard let file = files[number] else { return .failed }
    if order == .withoutEpochs {
      if case .sealed(let successor, _) = file.state {
        return hops > 8 ? .failed : .follow(successor, arrived: 0)
      }
      return file.state == .live ? .use(arrived: 0) : .failed
    }
    var chain = GenerationChain(resuming: number, arrived: arrived)
    switch chain.step(file.meta, epoch: file.epoch) {
    case .follow(let next): return .follow(next, arrived: chain.arrived ?? 0)
    case .use: return .use(arrived: chain.arrived ?? file.epoch)
    case .unseal: return .unseal(arrived: arrived ?? file.epoch)
    case .damaged: return .failed
    }
  }

  /// The generation that an open would reach now if nothing else changed meanwhile.
  func resolved() -> (number: UInt64, arrived: UInt64, isStale: Bool)? {
    var (number, arrived, hops) = (current, UInt64?.none, 0)
    while true {
      switch look(at: number, arrived: arrived, hops: hops) {
      case .follow(let next, let epoch): (number, arrived, hops) = (next, epoch, hops + 1)
      case .use(let epoch): return (number, epoch, false)
      case .unseal(let epoch): return (number, epoch, true)
      case .failed: return nil
      }
    }
  }

  /// Whether a lease keeps a generation from being removed.
  func isLeased(_ number: UInt64) -> Bool {
    writers.contains { writer in
      switch writer {
      case .closed, .walking: false
      case .arriving(_, let at, _), .attached(let at, _): at == number
      }
    }
  }

  /// Checks the invariant: a program that opens the store now reads every answered append.
  mutating func check() {
    guard violation == nil else { return }
    guard let found = resolved() else { return violation = "no generation is in use" }
    if files[found.number]?.entries != answered {
      violation = "generation \(found.number) is in use and lacks an answered append"
    }
  }
}

extension GenerationChain {
  /// The way from its middle.
  init(resuming number: UInt64, arrived: UInt64?) {
    self.init(from: number)
    guard let arrived, arrived > 0 else { return }
    // One step from a generation that does not exist leads there.
    self.init(from: number &+ 1_000)
    _ = step(.sealed(Seal(successor: number, epoch: arrived)), epoch: arrived - 1)
  }
}
