internal import AnnalsCoding
internal import LMDB
import Synchronization

/// One who observes a view: which file serves, what of its journal was told, and how more is waited for.
struct ViewObserver<P: Projection>: Sendable {
  /// What a look has found.
  enum Look {
    /// Nothing has happened.
    case nothing
    /// These rows were put and removed.
    case changes([ChangeJournal.Change])
    /// Anything may have happened.
    case anything
  }

  /// How long it takes at most until a view that is being built is looked at again.
  private static var patience: Duration { .milliseconds(50) }

  let view: View<P>
  /// Up to where the changes of a file were told. It does not keep the file: a sequence that nobody iterates must not.
  private struct Place: Sendable {
    /// The number of the file, which may be opened again meanwhile.
    var number: UInt64
    var seen: UInt64
  }

  private var place: Place?
  /// What lets changes be noted; `nil` before the first look.
  private var mark: ObserverMark?
  /// The file that was looked at last.
  private var file: ViewFile?
  private var watch: CommitWatch?

  init(_ view: View<P>) {
    self.view = view
  }

  /// Takes what has happened so far as known; nothing where the view is being built.
  mutating func begin() throws(AnnalsError) {
    try announce()
    do throws(AnnalsError) {
      let snapshot = try view.snapshot()
      place = try Self.end(of: snapshot)
    } catch {
      guard error.code == .busy else { throw error }
    }
  }

  /// Lets changes be noted from now on.
  private mutating func announce() throws(AnnalsError) {
    if mark != nil { return }
    let engine = view.host.engine
    guard let directory = try engine.shelf()?.directory else { return }
    mark = ObserverMark.take(P.name, in: directory, engine.access)
  }

  private static func end(of snapshot: borrowing ViewSnapshot<P>) throws(AnnalsError) -> Place {
    let file = snapshot.file
    return Place(
      number: file.number, seen: try ChangeJournal.ends(of: file.changes, snapshot.transaction.view).last)
  }

  /// Looks what has happened since the last look, and lends the snapshot that shows it to `body`.
  ///
  /// - Parameters:
  ///   - most: How many changes are told at most; the others are for the next look.
  ///   - body: It is given the last change of each row.
  mutating func look<Result>(
    _ most: Int, _ body: (Look, borrowing ViewSnapshot<P>) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result? {
    try announce()
    let snapshot: ViewSnapshot<P>
    do throws(AnnalsError) { snapshot = try view.snapshot() } catch {
      guard error.code == .busy else { throw error }
      // A file that cannot be read from is none to wait at, and may have to go.
      (file, watch, watched) = (nil, nil, nil)
      return nil
    }
    let (found, known) = (snapshot.file, place)
    file = found
    guard let known, known.number == found.number,
      let changes = try Self.changes(behind: known.seen, snapshot)
    else {
      place = try Self.end(of: snapshot)
      return try body(.anything, snapshot)
    }
    let told = Array(changes.prefix(most))
    guard let last = told.last else { return try body(.nothing, snapshot) }
    place = Place(number: found.number, seen: last.number)
    return try body(.changes(told), snapshot)
  }

  /// The last change of each row that has changed, in their order; `nil` where some are not kept any more.
  private static func changes(
    behind seen: UInt64, _ snapshot: borrowing ViewSnapshot<P>
  ) throws(AnnalsError) -> [ChangeJournal.Change]? {
    let file = snapshot.file
    var all: [ChangeJournal.Change] = []
    var last: [[UInt8]: UInt64] = [:]
    while true {
      guard
        let page = try ChangeJournal.changes(
          behind: all.last?.number ?? seen, in: file.changes, snapshot.transaction.view, of: file.name)
      else { return nil }
      for change in page { last[change.key] = change.number }
      all += page
      if page.count < ChangeJournal.page { break }
    }
    return all.filter { last[$0.key] == $0.number }
  }

  /// What is to be waited beyond.
  struct Counts {
    let line: UInt64
    let commits: UInt64
  }

  /// The counts before a look: what comes after it is waited for beyond them.
  var counts: Counts { Counts(line: view.line.changes.count, commits: watched?.commits.count ?? 0) }

  /// Waits until something may have happened, or the task is cancelled.
  ///
  /// - Throws: What has stopped the view: nothing is going to happen then.
  mutating func wait(beyond counts: Counts) async throws(AnnalsError) {
    if let error = view.ended() { throw error }
    guard let file else {
      return await view.line.changes.wait(beyond: counts.line, upTo: Self.patience)
    }
    if watched !== file {
      // What happened before there was a watch is seen by one more look.
      watch = try file.watch()
      watched = file
      return
    }
    let line = view.line.changes
    // A file of an earlier version is not told what takes its place, and a reader's store is told nothing.
    let mayBeLeft =
      view.host.engine.access == .readOnly && view.line.state.withLock { $0.served?.version != P.version }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        if mayBeLeft {
          await file.commits.wait(beyond: counts.commits, upTo: View<P>.interval)
        } else {
          await file.commits.wait(beyond: counts.commits)
        }
      }
      group.addTask { await line.wait(beyond: counts.line) }
      await group.next()
      group.cancelAll()
    }
  }

  /// The file that is watched.
  private var watched: ViewFile?
}
