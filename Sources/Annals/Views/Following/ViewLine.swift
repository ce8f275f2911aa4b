internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB
import Synchronization

/// A file that reads use, with the conversions of its rows to the program's version.
struct ServedView: Sendable {
  let file: ViewFile
  /// The version that has folded it.
  let version: Int
  /// The tables in the file.
  let outline: ProjectionOutline
  /// The conversions for rows of an earlier version.
  let conversions: RowConversions?
}

/// One projection that a program has opened: the file that reads use, and the file being built.
final class ViewLine<Event: SchemaEvent>: Sendable {
  struct State: Sendable {
    /// The file that reads use; `nil` if there is none yet.
    var served: ServedView?
    /// The file that is being built, by this process or another.
    var building: ViewFile?
    /// The file that must not advance, because the built one is about to replace it; `nil` until then.
    var leaving: ViewFile?
    /// The runners of this process: for the file that reads use, and for the one being built.
    var tracks: [ViewTrack<Event>] = []
    /// The reason for a rebuild; `nil` if there is none, or for a first build.
    var reason: String?
    /// The error that prevents any fold here.
    var error: AnnalsError?
    /// The error of the last check of its files; `nil` once a check has succeeded.
    var looking: AnnalsError?
    /// Whether the file that is read or built has a newer plan's inputs. It is then neither folded nor
    /// rebuilt here.
    var isHeldBack = false
    /// The time of the last check of its files.
    var settled = ContinuousClock.now
    /// Whether it was requested by itself, not only as an earlier version of another.
    var isWanted = false
    /// Whether its files were removed. It never has files again, and another machine replaces it.
    var isRemoved = false

    /// The error to report for a machine that is not folded although no runner was stopped.
    var hindrance: AnnalsError? { error ?? looking }
  }

  let face: ProjectionFace<Event>
  /// A signal raised by every change: the view has advanced, was switched, or was stopped.
  let changes = Signal()
  let state = Mutex(State())

  init(_ face: ProjectionFace<Event>) {
    self.face = face
  }

  /// Returns the runner of a file here; `nil` if there is none, or another process folds it.
  func track(of file: ViewFile) -> ViewTrack<Event>? {
    state.withLock { state in state.tracks.first { $0.file === file } }
  }
}
