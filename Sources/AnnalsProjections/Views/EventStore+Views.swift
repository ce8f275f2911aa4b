internal import AnnalsLog
internal import AnnalsSchema
public import AnnalsStore
public import AnnalsCoding
internal import LMDB

extension EventStore {
  /// Opens the view of a projection, which then follows the log.
  ///
  /// The call returns at once. A view that has never been built, or must be rebuilt, is built in the
  /// background (``View/status()``, ``View/waitUntil(_:timeout:)``). The view follows the log as long as this
  /// store, a copy of it or a view of it is held.
  ///
  /// - Parameter projection: The projection, with the plan's current events.
  /// - Throws: ``AnnalsError`` with code `invalidPlan` if the projection is inconsistent; `wrongUse` if
  ///   another projection of the program has its name and version; `shapeChanged` if its tables have changed
  ///   but not its version; `superseded` if the store has a newer version and none of this one; `readOnly`,
  ///   `diskFull`, `permission`, `tooManyReaders`, `usedAfterFork` or `inputOutput`.
  /// - Complexity: O(files of views), independent of the length of the log.
  public func view<P: Projection>(
    _ projection: P.Type
  ) throws(AnnalsError) -> View<P> where P.Event == Event {
    let erased = try ErasedProjection<Event>(projection)
    let views = try openViews()
    return View(views: views, registered: try views.registry.register(erased))
  }

  /// Rebuilds the rows of a projection from the log. The existing rows can be read meanwhile.
  ///
  /// The call returns at once. A rebuild that is already in progress continues, even if it began before a
  /// migration pass: to remove names and tags from before the pass, first wait with
  /// ``View/waitUntilBuilt(timeout:)``.
  ///
  /// - Throws: As ``view(_:)``, and `readOnly` in a store that is open for reading only.
  @discardableResult
  public func rebuild<P: Projection>(_ projection: P.Type) throws(AnnalsError) -> View<P>
  where P.Event == Event {
    guard log.options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    let view = try view(projection)
    try view.registry.rebuild(view.registered, because: "the program asked for it")
    return view
  }
}

extension EventStore {
  /// Removes a view: the files of all its versions. The log does not change, and the next open of the view
  /// rebuilds it.
  ///
  /// Observers of the view, and calls that wait for it, end with `busy`, even if the removal fails. In that
  /// case the view continues.
  ///
  /// - Parameter name: The name of the projection.
  /// - Throws: ``AnnalsError`` with code `busy` if it is open elsewhere, `readOnly`, `permission`,
  ///   `usedAfterFork` or `inputOutput`.
  public func remove(view name: String) throws(AnnalsError) {
    guard log.options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    try openViews().registry.remove(name)
  }
}

extension View {
  /// Throws `wrongUse` unless the view is one of a store at the same place. Copies of a store share the id of
  /// its log.
  func mustBe<Plan: SchemaMigrationPlan>(of store: EventStore<Plan>) throws(AnnalsError) {
    let (core, other) = (registry.core, store.log.core)
    if core === other { return }
    // A store that was opened again after an error has another core.
    let isSame = try files { () throws(StoreFileError) in
      try core.generation.directory.status().identity == other.generation.directory.status().identity
    }
    guard isSame else {
      throw AnnalsError(
        .wrongUse,
        "the view '\(P.name)' is one of another store, possibly a copy of this one: open it with view(_:) of the store that you call"
      )
    }
  }
}
