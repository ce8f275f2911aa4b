internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB
import Synchronization

/// An observer of a view: the file that reads use, the journal's changes reported so far, and the means to
/// wait for more.
struct ViewObserver<P: Projection>: Sendable {
  /// The result of a check.
  enum Look {
    /// Nothing has happened.
    case nothing
    /// These rows were put and removed.
    case changes([ChangeJournal.Change])
    /// Anything may have happened.
    case anything
  }

  /// The longest time until a view that is being built is checked again.
  private static var patience: Duration { .milliseconds(50) }

  let view: View<P>
  /// The place in a file up to which its changes were reported. It does not keep the file open, because a
  /// sequence that is not iterated must not.
  private struct Place: Sendable {
    /// The number of the file, which may be opened again meanwhile.
    package var number: UInt64
    var seen: UInt64
  }

  private var place: Place?
  /// The mark that has changes recorded; `nil` before the first check.
  private var mark: ObserverMark?
  /// The file that was checked last. While the program handles a result, only the view keeps the file open:
  /// a view cannot be removed while an observer keeps its file.
  private weak var file: ViewFile?
  /// The file whose commits are counted.
  private weak var watched: ViewFile?
  private var watch: CommitWatch?

  init(_ view: View<P>) {
    self.view = view
  }

  /// Treats earlier changes as known; does nothing while the view is being built.
  mutating func begin() throws(AnnalsError) {
    try announce()
    do throws(AnnalsError) {
      let snapshot = try view.snapshot()
      place = try Self.end(of: snapshot)
    } catch {
      guard error.code == .busy else { throw error }
    }
  }

  /// Has changes recorded from now on.
  private mutating func announce() throws(AnnalsError) {
    if mark != nil { return }
    mark = try view.registry.observe(P.name)
  }

  private static func end(of snapshot: borrowing ViewSnapshot<P>) throws(AnnalsError) -> Place {
    let file = snapshot.file
    return Place(
      number: file.number, seen: try ChangeJournal.ends(of: file.changes, snapshot.transaction.view).last)
  }

  /// Checks for changes since the last check, and calls `body` with the snapshot that shows them.
  ///
  /// - Parameters:
  ///   - most: The most changes to report; the others are left for the next check.
  ///   - body: Receives the last change of each row.
  mutating func look<Result>(
    _ most: Int, _ body: (Look, borrowing ViewSnapshot<P>) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result? {
    try announce()
    let snapshot: ViewSnapshot<P>
    do throws(AnnalsError) { snapshot = try view.snapshot() } catch {
      // A store that is open for reading waits for the writer to build a view again that it has read before.
      let isAway = error.code == .readOnly && place != nil
      guard error.code == .busy || error.recovery == [.retry] || isAway else { throw error }
      // Waiting on a file that cannot be read is useless, and the file may have to be removed.
      (file, watch, watched) = (nil, nil, nil)
      return nil
    }
    let (found, known) = (snapshot.file, place)
    file = found
    guard let known, known.number == found.number,
      let changes = try Self.changes(after: known.seen, snapshot)
    else {
      place = try Self.end(of: snapshot)
      return try body(.anything, snapshot)
    }
    let reported = Array(changes.prefix(most))
    guard let last = reported.last else { return try body(.nothing, snapshot) }
    place = Place(number: found.number, seen: last.number)
    return try body(.changes(reported), snapshot)
  }

  /// Returns the last change of each changed row, in order; `nil` if some are not kept any more.
  private static func changes(
    after seen: UInt64, _ snapshot: borrowing ViewSnapshot<P>
  ) throws(AnnalsError) -> [ChangeJournal.Change]? {
    let file = snapshot.file
    var all: [ChangeJournal.Change] = []
    var last: [[UInt8]: UInt64] = [:]
    while true {
      guard
        let page = try ChangeJournal.changes(
          after: all.last?.number ?? seen, in: file.changes, snapshot.transaction.view, of: file.name)
      else { return nil }
      for change in page { last[change.key] = change.number }
      all += page
      if page.count < ChangeJournal.page { break }
    }
    return all.filter { last[$0.key] == $0.number }
  }

  /// The counts to wait beyond.
  struct Counts {
    let line: UInt64
    let commits: UInt64
  }

  /// The counts before a check. Later changes raise them.
  var counts: Counts { Counts(line: view.registered.changes.count, commits: watched?.commits.count ?? 0) }

  /// Waits until something may have happened, or the task is cancelled.
  ///
  /// - Throws: The error that has stopped the view, because nothing will happen then.
  mutating func wait(beyond counts: Counts) async throws(AnnalsError) {
    if let error = view.ended() { throw error }
    guard let file else {
      return await view.registered.changes.wait(beyond: counts.line, upTo: Self.patience)
    }
    let isFolded = view.registered.fold(of: file).map { !$0.isOver } ?? false
    if isFolded {
      // Its commits are announced at once, and so is the end of its fold.
      watch = nil
      if watched !== file {
        watched = file
        return
      }
    } else if watched !== file || watch == nil {
      // One more check sees changes from before the watch began.
      watch = try file.watch()
      watched = file
      return
    }
    let line = view.registered.changes
    // The file of an earlier version receives no signal when it is replaced, and a reader's store receives
    // none at all.
    let mayBeLeft =
      view.registry.access == .readOnly && view.registered.served?.version != P.version
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
}
