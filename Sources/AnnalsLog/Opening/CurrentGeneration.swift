package import AnnalsCoding
package import LMDB
import Synchronization

/// The generation that this process uses, and the way to its successor.
///
/// A switch is not announced: each process finds the seal in its first transaction after the switch. The
/// first thread to find it opens the successor for all.
package final class CurrentGeneration: Sendable {
  private let opening: StoreOpening
  private let heads: Int
  /// The signal that rises with every commit of this process, and of others while a ``CommitWatch`` exists.
  package let commits = Signal()
  private let known: Mutex<Generation>
  /// The earlier generations that threads of this process may still use.
  private let former = Mutex<[Former]>([])
  /// Held while a successor is opened, so that it is opened once.
  private let moving = Mutex(())

  /// Opens the generation in use.
  init(_ directory: Directory, _ options: StoreOptions) throws(AnnalsError) {
    let first = StoreOpening(directory: directory, options: options)
    known = Mutex(Generation(try first.run(), directory, heads: options.headLimit))
    var later = options
    // This library built a successor from the file that is open here. Checking every page again would keep
    // writers waiting.
    later.trust = .own
    opening = StoreOpening(directory: directory, options: later)
    heads = options.headLimit
  }

  /// The generation in use as this process knows it.
  var generation: Generation { known.withLock { $0 } }

  /// Returns the generation that succeeds `old`. The first caller opens it.
  ///
  /// The calling thread has no transaction and no turn, because `open.lock` is taken inside. The result may
  /// be `old` again, after a switch that was rolled back.
  ///
  /// - Throws: ``AnnalsError`` with code `incomplete`, `foreign`, `damaged`, and other errors of an open.
  ///   Then `old` stays in use.
  func successor(of old: Generation) throws(AnnalsError) -> Generation {
    try moving.withLock { (_) throws(AnnalsError) -> Generation in
      let newest = generation
      guard newest === old else { return newest }
      // From `CURRENT`, and not from the seal: generations in the middle of a long chain may have been
      // removed.
      let next = Generation(try opening.run(), opening.directory, heads: heads)
      known.withLock { $0 = next }
      former.withLock { former in
        former = former.filter { $0.generation != nil } + [Former(generation: old)]
      }
      return next
    }
  }

  private struct Former {
    weak var generation: Generation?
  }

  /// Whether threads of this process have a former generation that they will release by themselves: nobody
  /// reads from it.
  package var isLettingGo: Bool {
    former.withLock { former in
      former.contains { former in
        guard let generation = former.generation else { return false }
        return !generation.isReadFromHere
      }
    }
  }
}

extension Generation {
  /// Whether this process has a snapshot of it.
  fileprivate var isReadFromHere: Bool {
    do throws(EnvironmentError) { return try environment.isReadFromHere() } catch {
      // In that case nothing is waited for.
      return true
    }
  }
}

extension CurrentGeneration {
  /// Returns the generation in use, after reading the store.
  package func newest() throws(AnnalsError) -> Generation {
    var newest = generation
    while try !newest.read({ (reader) throws(AnnalsError) in try newest.isInUse(in: reader) }) {
      newest = try successor(of: newest)
    }
    return newest
  }

  /// The time to wait for the turn to repair the effects of a crash. Otherwise the next opener or writer does
  /// it.
  private static let patience = Duration.milliseconds(200)

  /// Completes a switch or rollback of a process that was killed, after all checks of an open. It removes a
  /// stale seal and makes `CURRENT` name the generation in use.
  ///
  /// If another process has `pass.lock`, or the turn at writing, the work is left to it.
  package func settle() throws(AnnalsError) {
    let generation = generation
    guard opening.options.access == .readWrite, generation.needsUnsealing || generation.isUnrecorded else {
      return
    }
    let lock = try opening.passLock()
    guard let hold = try files({ () throws(StoreFileError) in try lock.tryLock(.exclusive) }) else { return }
    do throws(AnnalsError) { try generation.unsealIfStale(within: Self.patience) } catch {
      guard error.code == .busy else { throw error }
      return
    }
    try opening.record()
    generation.noteRecorded()
    _ = consume hold
  }
}
