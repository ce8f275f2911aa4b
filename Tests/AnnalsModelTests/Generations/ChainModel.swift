import Foundation

@testable import Annals
@testable import AnnalsLog

/// A model of the generations of one store and of all who use it, in which each step is what one commit, rename or removal makes durable.
struct ChainModel: Hashable {
  /// In which order the steps of a switch and of a rollback come.
  enum Order: Hashable, CaseIterable {
    /// As docs/durability.md has them.
    case right
    /// `CURRENT` is renamed before the seal is committed.
    case currentBeforeSeal
    /// A rollback takes the older seal away before it commits the newer one.
    case unsealFirst
    /// Seals have no epochs: whoever comes to a sealed generation follows it.
    case withoutEpochs
  }

  /// Every pass has an id of its own; that it is followed by number is enough for the model.
  static func id(_ pass: UInt64) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: pass)))
  }

  /// What the file of a generation says.
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

  /// Where whoever appends stands.
  enum Writer: Hashable {
    case closed
    /// On the way from the generation that `CURRENT` named.
    case walking(named: UInt64, at: UInt64, arrived: UInt64?, hops: Int)
    /// It holds the lease of where it came, and looks at `CURRENT` once more.
    case arriving(named: UInt64, at: UInt64, arrived: UInt64)
    case attached(UInt64, arrived: UInt64)
  }

  /// What whoever has `pass.lock` is about to do.
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
  /// What is wrong, if anything is.
  var violation: String?

  init(_ order: Order, appends: Int, kills: Int, passes: Int, rollbacks: Int, discards: Int) {
    self.order = order
    // One that came before all else, and one that opens whenever it likes.
    writers = [.attached(1, arrived: 0), .closed]
    appendsLeft = appends
    killsLeft = kills
    passesLeft = passes
    rollbacksLeft = rollbacks
    discardsLeft = discards
  }
}

extension ChainModel {
  /// What a look at a generation leads to.
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

  /// Where an open would come now, if nobody else did anything meanwhile.
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

  /// Whether somebody's lease keeps a generation from being removed.
  func isLeased(_ number: UInt64) -> Bool {
    writers.contains { writer in
      switch writer {
      case .closed, .walking: false
      case .arriving(_, let at, _), .attached(let at, _): at == number
      }
    }
  }

  /// What must hold at every moment: who opens the store now reads every answered append.
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
