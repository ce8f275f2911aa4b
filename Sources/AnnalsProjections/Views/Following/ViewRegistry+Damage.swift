internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding
internal import LMDB
import Synchronization

// Files that a read has found damaged.
extension ViewRegistry {
  /// Has a view built again if a read has found damage in its file.
  ///
  /// The file is withdrawn first. So no process shows its rows any more, and another one builds the view if
  /// this one ends.
  func settle(_ file: ViewFile, _ view: RegisteredView<Event>) {
    guard file.isSpoilt.load(ordering: .relaxed), access == .readWrite, view.served?.file === file else {
      return
    }
    do throws(AnnalsError) {
      try inFiles { (catalog, directory) throws(AnnalsError) in
        do throws(AnnalsError) {
          // Its pages are checked again, because LMDB is to change it.
          try directory?.open(file.number, called: file.name, of: core).withdraw(because: .damage)
        } catch {
          // A file that cannot be withdrawn for its damage is not opened again.
          guard error.isOfSpoiltView else { throw error }
        }
        catalog.opened[file.number] = nil
      }
      file.commits.announce()
      try chooseAgain(view)
    } catch {
      // The next read tries again, and so does the next open of the view.
    }
  }
}

extension View {
  /// Has the view built again if a read has found damage.
  func settle() {
    if let file = registered.served?.file { registry.settle(file, registered) }
  }
}
