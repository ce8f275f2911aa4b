internal import AnnalsCoding
internal import LMDB
import Synchronization

/// The generation that everybody in this process uses who has the store open, and the way to the one that succeeds it.
///
/// Nobody announces a switch: each process finds the seal in the first transaction behind it. The first thread that does opens the successor for all.
final class CurrentGeneration: Sendable {
  private let opening: StoreOpening
  private let heads: Int
  /// What rises with every commit of this process, and of others as long as anybody watches (``CommitWatch``).
  let commits = Signal()
  private let known: Mutex<Generation>
  /// The generations before it that somebody in this process may still be about to let go of.
  private let former = Mutex<[Former]>([])
  /// Held while a successor is opened, so that it is opened once.
  private let moving = Mutex(())

  /// Opens the generation in use.
  init(_ directory: Directory, _ options: StoreOptions) throws(AnnalsError) {
    let first = StoreOpening(directory: directory, options: options)
    known = Mutex(Generation(try first.run(), directory, heads: options.headLimit))
    var later = options
    // What succeeds a generation was built by this library from what is open here; to check every page again would keep writers waiting.
    later.trust = .own
    opening = StoreOpening(directory: directory, options: later)
    heads = options.headLimit
  }

  /// The generation in use as this process knows it.
  var generation: Generation { known.withLock { $0 } }

  /// The generation that succeeds `old`, opened by whoever asks first.
  ///
  /// The calling thread has no transaction and no turn, because `open.lock` is taken inside. It may have been `old` again: a switch that was rolled back.
  ///
  /// - Throws: ``AnnalsError`` with code `incomplete`, `foreign`, `damaged`, and what else an open throws. Then `old` stays what it was.
  func successor(of old: Generation) throws(AnnalsError) -> Generation {
    try moving.withLock { (_) throws(AnnalsError) -> Generation in
      let newest = generation
      guard newest === old else { return newest }
      // From CURRENT, and not from the seal: of a long way the generations in the middle may be gone.
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

  /// Whether threads of this process have a former generation that will let go of it by themselves: nobody reads from it.
  var isLettingGo: Bool {
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
      // Then nobody is waited for.
      return true
    }
  }
}

extension CurrentGeneration {
  /// The generation in use, by a look at the store.
  func newest() throws(AnnalsError) -> Generation {
    var newest = generation
    while try !newest.read({ (reader) throws(AnnalsError) in try newest.isInUse(in: reader) }) {
      newest = try successor(of: newest)
    }
    return newest
  }

  /// How long a turn is waited for to mend what a crash has left; whoever opens or writes next does it otherwise.
  private static let patience = Duration.milliseconds(200)

  /// Does what a process that was killed during a switch or a rollback has left to do, behind all checks of an open: takes a stale seal away, and lets
  /// `CURRENT` name the generation in use.
  ///
  /// Where somebody else has `pass.lock`, or the turn at writing, it is left to them.
  func settle() throws(AnnalsError) {
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
