internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema
internal import LMDB

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

/// One view that a program has opened. Its state is in the registry, under its number.
final class RegisteredView<Event: SchemaEvent>: Sendable {
  let number: Int
  let projection: ErasedProjection<Event>
  /// A signal raised by every change: the view has advanced, was switched, or was stopped.
  let changes = Signal()
  private let desk: Monitor<ViewDesk<Event>>

  init(_ number: Int, _ projection: ErasedProjection<Event>, _ desk: Monitor<ViewDesk<Event>>) {
    self.number = number
    self.projection = projection
    self.desk = desk
  }

  /// The state; `nil` once the view was removed.
  var record: ViewRecord<Event>? { desk.withLock { $0.views[number] } }
  /// The file that reads use; `nil` if there is none.
  var served: ServedView? { desk.withLock { $0.views[number]?.served } }
  /// The file that is being built; `nil` if there is none.
  var building: ViewFile? { desk.withLock { $0.views[number]?.building } }

  /// The fold of a file by this process; `nil` if another process folds it, or none.
  func fold(of file: ViewFile) -> ViewMachine.Fold? {
    desk.withLock { $0.views[number]?.machine.folds[file.number] }
  }
}
