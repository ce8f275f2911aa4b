internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

/// A file that rows are read from, and how its rows are read as those of the program's version.
struct ServedView: Sendable {
  let file: ViewFile
  /// The version that has folded it.
  let version: Int
  /// The tables as they stand in the file.
  let outline: ProjectionOutline
  /// How rows of an earlier version are read.
  let conversions: RowConversions?
}

/// One projection that a program has opened: what serves it, and what is being built.
final class ViewLine<Event: SchemaEvent>: Sendable {
  struct State: Sendable {
    /// What rows are read from; `nil` where there is nothing yet.
    var served: ServedView?
    /// The file that is being built, by this process or another.
    var building: ViewFile?
    /// The file that goes no further from here on, because what is built is about to take its place; `nil` until then.
    var leaving: ViewFile?
    /// What this process folds: the file that serves, and the one that is built.
    var tracks: [ViewTrack<Event>] = []
    /// Why it is built anew; `nil` where it is not, or is built for the first time.
    var reason: String?
    /// What stands in the way of any fold here.
    var error: AnnalsError?
    /// Why the last look at its files came to nothing; `nil` once one has come to its end.
    var looking: AnnalsError?
    /// Whether what serves or is built is of a newer plan's inputs: then it is neither folded here nor built anew.
    var isHeldBack = false
    /// When its files were last looked at.
    var settled = ContinuousClock.now
    /// Whether somebody asked for it by itself, and not only as an earlier version of another.
    var isWanted = false
    /// Whether its files were removed: it has none ever again, and another line takes its place.
    var isRemoved = false

    /// What is told of a line that is not folded, although nothing was stopped.
    var hindrance: AnnalsError? { error ?? looking }
  }

  let face: ProjectionFace<Event>
  /// What rises whenever something has changed: the view has moved on, was switched, or was stopped.
  let changes = Signal()
  let state = Mutex(State())

  init(_ face: ProjectionFace<Event>) {
    self.face = face
  }

  /// What folds a file here; `nil` where nobody does, or another process.
  func track(of file: ViewFile) -> ViewTrack<Event>? {
    state.withLock { state in state.tracks.first { $0.file === file } }
  }
}
