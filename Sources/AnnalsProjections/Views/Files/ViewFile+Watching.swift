internal import AnnalsSchema
internal import AnnalsStore
import Synchronization
package import AnnalsCoding
package import AnnalsLog

extension ViewFile {
  /// The watch, while it is referenced.
  package struct Watching: Sendable {
    weak var watch: CommitWatch?
  }

  /// Returns the watch that all followers of the file in this process share.
  package func watch() throws(AnnalsError) -> CommitWatch {
    try watching.withLock { (watching) throws(AnnalsError) in
      if let watch = watching.watch { return watch }
      let watch = try CommitWatch(commits) { [number, environment] in (number, environment) }
      watching.watch = watch
      return watch
    }
  }
}
