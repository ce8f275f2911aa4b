internal import LMDB

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
  /// The file that was looked at last, and the last change of it that was told.
  private var place: (file: ViewFile, seen: UInt64)?
  private var watch: CommitWatch?

  init(_ view: View<P>) {
    self.view = view
  }

  /// Takes what has happened so far as known; nothing where the view is being built.
  mutating func begin() throws(AnnalsError) {
    do throws(AnnalsError) {
      let snapshot = try view.snapshot()
      let file = snapshot.file
      place = (file, try ChangeJournal.ends(of: file.changes, snapshot.transaction.view).last)
    } catch {
      guard error.code == .busy else { throw error }
    }
  }

  /// Looks what has happened since the last look, and lends the snapshot that shows it to `body`.
  mutating func look<Result>(
    _ body: (Look, borrowing ViewSnapshot<P>) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result? {
    let snapshot: ViewSnapshot<P>
    do throws(AnnalsError) { snapshot = try view.snapshot() } catch {
      guard error.code == .busy else { throw error }
      return nil
    }
    let (file, known) = (snapshot.file, place)
    guard let known, known.file.number == file.number else {
      place = (file, try ChangeJournal.ends(of: file.changes, snapshot.transaction.view).last)
      return try body(.anything, snapshot)
    }
    guard
      let changes = try ChangeJournal.changes(
        behind: known.seen, in: file.changes, snapshot.transaction.view, of: file.name)
    else {
      place = (file, try ChangeJournal.ends(of: file.changes, snapshot.transaction.view).last)
      return try body(.anything, snapshot)
    }
    guard let last = changes.last else {
      place = (file, known.seen)
      return try body(.nothing, snapshot)
    }
    place = (file, last.number)
    return try body(.changes(changes), snapshot)
  }

  /// What is to be waited beyond.
  struct Counts {
    let line: UInt64
    let commits: UInt64
  }

  /// The counts before a look: what comes after it is waited for beyond them.
  var counts: Counts { Counts(line: view.line.changes.count, commits: place?.file.commits.count ?? 0) }

  /// Waits until something may have happened, or the task is cancelled.
  mutating func wait(beyond counts: Counts) async throws(AnnalsError) {
    guard let file = place?.file else {
      return await view.line.changes.wait(beyond: counts.line, upTo: Self.patience)
    }
    if watched !== file {
      // What happened before there was a watch is seen by one more look.
      watch = try file.watch()
      watched = file
      return
    }
    let line = view.line.changes
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await file.commits.wait(beyond: counts.commits) }
      group.addTask { await line.wait(beyond: counts.line) }
      await group.next()
      group.cancelAll()
    }
  }

  /// The file that is watched.
  private var watched: ViewFile?
}
