internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB
import Synchronization

// The maintenance of files that others fold, and of files to be removed.
extension ViewRegistry {
  /// Takes over files that another process has left, and removes files that no process has open any more.
  ///
  /// - Returns: Whether there is nothing left to check.
  func maintain() -> Bool {
    var isIdle = true
    for view in catalog.withLock({ $0.views }) {
      // A failure now is retried, or reported to readers.
      var failure: AnnalsError?
      do throws(AnnalsError) {
        if try !isSettled(view) { isIdle = false }
      } catch {
        failure = error
        isIdle = false
      }
      _ = decide(.checked(failure), view)
    }
    if catalog.withLock({ $0.pendingRemovals.isEmpty }) { return isIdle }
    do throws(AnnalsError) {
      try inFiles { (catalog, directory) throws(AnnalsError) in
        guard let directory else { return }
        for number in catalog.pendingRemovals {
          // The removal is retried here, and by the next open of the view.
          do throws(AnnalsError) {
            if try directory.remove(number) { catalog.pendingRemovals.remove(number) }
          } catch {}
        }
      }
    } catch {
      // The files could not be reached, and are tried again.
    }
    return false
  }

  /// Checks whether a view's files are current, and takes over those that no process folds.
  ///
  /// - Returns: Whether this process folds them all.
  private func isSettled(_ view: RegisteredView<Event>) throws(AnnalsError) -> Bool {
    guard let record = view.record, record.machine.phase == .open else { return true }
    for number in record.machine.unfolded {
      let files = [record.served?.file, record.building].compactMap { $0 }
      guard let file = files.first(where: { $0.number == number }) else { continue }
      let (isReady, isCarrying, successor) = try file.read { (view) throws(AnnalsError) in
        (try file.isReady(view), try file.isCarrying(view), try file.successor(view))
      }
      if successor != nil || (file === record.building && (isReady || isCarrying)) {
        try chooseAgain(view)
        return false
      }
      if record.machine.mayFold(number) { try carryOutInFiles(.begin(number), view) }
    }
    return record.machine.isSettled
  }
}
