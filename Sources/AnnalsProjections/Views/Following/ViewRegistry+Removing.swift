internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB
import Synchronization

// Removing a view permanently.
extension ViewRegistry {
  /// The time that other users of a file have to release it before a removal fails.
  private static var parting: Duration { .seconds(2) }

  /// Ends a view, which is not followed any more, and releases its files.
  func end(_ view: RegisteredView<Event>) {
    let effects = desk.withLock { desk in
      desk.views[view.number]?.served = nil
      desk.views[view.number]?.building = nil
      return desk.decide(.removed, view.number)
    }
    for effect in effects { carryOut(effect, view) }
    desk.withLock { $0.views[view.number] = nil }
  }

  /// Has a view that was ended follow the log again, unless the program has opened another one meanwhile.
  private func restore(_ view: RegisteredView<Event>) {
    let isRestored = catalog.withLock { catalog in
      if catalog.views.contains(where: { $0.projection.type == view.projection.type }) { return false }
      let mayFold = access == .readWrite
      desk.withLock {
        $0.views[view.number] = ViewRecord(view: view, machine: ViewMachine(mayFold: mayFold))
      }
      catalog.views.append(view)
      return true
    }
    if isRestored { carryOut(.choose, view) }
  }

  /// Removes the files of a projection that no process has open.
  ///
  /// - Returns: The numbers of the others.
  private static func remove(_ name: String, _ directory: ViewDirectory) throws(AnnalsError) -> [UInt64] {
    let hold = try directory.lock()
    var kept: [UInt64] = []
    for listing in try directory.listings() {
      guard let mark = listing.mark, ExactText(mark.name) == ExactText(name) else { continue }
      if try !directory.remove(listing.number) { kept.append(listing.number) }
    }
    _ = consume hold
    return kept
  }

  /// Ends all views of a projection, of any version, and removes the files. After an error the views go on.
  ///
  /// - Throws: ``AnnalsError`` with code `busy` if a file is open elsewhere; that file is not removed.
  func remove(_ name: String) throws(AnnalsError) {
    let views = catalog.withLock { catalog in
      let views = catalog.views.filter { ExactText($0.projection.name) == ExactText(name) }
      catalog.views.removeAll { view in views.contains { $0 === view } }
      return views
    }
    for view in views { end(view) }
    do throws(AnnalsError) { try removeFiles(name, within: views.isEmpty ? .zero : Self.parting) } catch {
      for view in views { restore(view) }
      throw error
    }
  }

  private func removeFiles(_ name: String, within patience: Duration) throws(AnnalsError) {
    guard let directory = try directory() else { return }
    // A scan, or the thread that maintains files, may be using the files right now.
    let end = ContinuousClock.now + patience
    core.place.commits.announce()
    var kept = try Self.remove(name, directory)
    while !kept.isEmpty, ContinuousClock.now < end {
      WriterThread.pause(milliseconds: 5)
      kept = try Self.remove(name, directory)
    }
    guard let first = kept.first else { return }
    throw AnnalsError(
      .busy,
      "the view '\(name)' is open in another process or another store of this one, or a snapshot of it is; end those and try again",
      details: AnnalsError.Details { $0.file = ViewFile.stem(first) + ".mdb" })
  }
}
