public import AnnalsCoding

extension EventStore {
  /// Opens the view of a projection, and has it follow the log.
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
    let face = try ProjectionFace<Event>(projection)
    let host = try viewHost()
    if log.options.access == .readWrite {
      for earlier in projection.earlier { try Self.follow(earlier, below: face, host) }
    }
    return View(host: host, line: try host.engine.register(face))
  }

  /// Keeps an earlier version following the log until the later one has caught up, if it has a file.
  private static func follow<Q: Projection>(
    _ earlier: Q.Type, below later: ProjectionFace<Event>, _ host: ViewHost<Event>
  ) throws(AnnalsError) where Q.Event == Event {
    let face = try ProjectionFace<Event>(earlier)
    guard ExactText(face.name) == ExactText(later.name), face.outline.version < later.outline.version else {
      throw AnnalsError(
        .wrongUse,
        "'\(face.name)', version \(face.outline.version), is no earlier version of '\(later.name)', version \(later.outline.version)"
      )
    }
    try host.engine.registerEarlier(face, than: later)
  }

  /// Rebuilds the rows of a projection from the log. The existing rows can be read meanwhile.
  ///
  /// The call returns at once. A rebuild already under way continues.
  ///
  /// - Throws: As ``view(_:)``, and `readOnly` in a store that is open for reading only.
  @discardableResult
  public func rebuild<P: Projection>(_ projection: P.Type) throws(AnnalsError) -> View<P>
  where P.Event == Event {
    guard log.options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    let view = try view(projection)
    try view.host.engine.rebuild(view.line, because: "the program asked for it")
    return view
  }
}

extension EventStore {
  /// Removes a view: the files of all its versions. The log does not change, and the next open of the view
  /// rebuilds it.
  ///
  /// - Parameter name: The name of the projection.
  /// - Throws: ``AnnalsError`` with code `busy` if it is open elsewhere, `readOnly`, `permission`,
  ///   `usedAfterFork` or `inputOutput`.
  public func remove(view name: String) throws(AnnalsError) {
    guard log.options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    try viewHost().engine.remove(name)
  }
}
