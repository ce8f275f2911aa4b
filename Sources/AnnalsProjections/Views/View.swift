internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding
internal import LMDB

/// The rows of a projection in a store, which follow the log.
///
/// Values of one projection share the file that they read from. The library's threads fold the rows as long
/// as the store or a view of it is held. One process at a time folds; others read its rows, and take over
/// when it ends.
public struct View<P: Projection>: Sendable {
  let views: OpenViews<P.Event>
  let registered: RegisteredView<P.Event>

  var registry: ViewRegistry<P.Event> { views.registry }

  /// Returns the snapshot for a read.
  func snapshot() throws(AnnalsError) -> ViewSnapshot<P> {
    for _ in 0..<Self.turns {
      let served = try served()
      defer { registry.settle(served.file, registered) }
      let snapshot = try ViewSnapshot<P>(served.file, served.outline, served.conversions)
      guard try snapshot.hasSuccessor() else { return snapshot }
      try registry.chooseAgain(registered)
    }
    throw Self.unsettled()
  }

  /// The number of times in a row that the files may turn out to be replaced.
  private static var turns: Int { 100 }

  private static func unsettled() -> AnnalsError {
    AnnalsError(
      .busy,
      "the files of the view '\(P.name)' do not agree which of them serves: try again, or build it again with EventStore.rebuild(_:)"
    )
  }

  /// The interval at which a reader's store, which receives no signals, looks for a file that another process
  /// has built.
  static var interval: Duration { .milliseconds(500) }

  /// Returns the rows to read from.
  func served() throws(AnnalsError) -> ServedView {
    // A fork may have copied a lock while another thread held it.
    if registry.core.isInherited { throw AnnalsError(StoreFileError.usedAfterFork) }
    if registry.access == .readOnly {
      let record = registered.record
      let version = record?.served?.version
      if version != P.version,
        version == nil || record.map({ $0.chosen.duration(to: .now) > Self.interval }) ?? false
      {
        try registry.chooseAgain(registered)
      }
    }
    for _ in 0..<Self.turns {
      if let served = registered.served, served.version == P.version { return served }
      guard let record = registered.record else { throw Self.removed() }
      if let building = record.building, record.machine.folds[building.number] == nil,
        try building.read({ (view) throws(AnnalsError) in try building.isReady(view) })
      {
        try registry.chooseAgain(registered)
        continue
      }
      if let served = record.served { return served }
      if let error = record.machine.hindrance { throw error }
      throw try notBuilt(record)
    }
    throw Self.unsettled()
  }

  static func removed() -> AnnalsError {
    AnnalsError(.busy, "the view '\(P.name)' was removed: open it again with EventStore.view(_:)")
  }

  private func notBuilt(_ record: ViewRecord<P.Event>) throws(AnnalsError) -> AnnalsError {
    if let error = record.machine.statusError { return error }
    guard let building = record.building else {
      if registry.access == .readWrite { return Self.removed() }
      return AnnalsError(
        .readOnly,
        "the view '\(P.name)' has no version \(P.version) here, and a store that is open for reading only builds none: open it for writing once"
      )
    }
    let position = try building.read { (view) throws(AnnalsError) in try building.checkpoint(view)?.position }
    let last = try registry.core.generation.lastPosition()
    return AnnalsError(
      .busy,
      "the view '\(P.name)' is being built, and has read \(position ?? 0) of \(last) positions: wait with waitUntil(), or read again later",
      details: AnnalsError.Details { $0.position = position })
  }

  /// Calls `body` with a snapshot of the rows.
  ///
  /// The snapshot shows everything folded when it began, and nothing later. While the program's version is
  /// being built, reads show an earlier version if its rows can be read as the current ones. The new version
  /// takes over between two reads, never inside one.
  ///
  /// - Parameter body: Reads from the snapshot, which cannot be kept.
  /// - Throws: The errors of `body`, and ``AnnalsError`` with code `busy` while the view is built for the
  ///   first time, `readOnly` if no process builds it, `tooManyReaders`, `usedAfterFork`, `damaged` or
  ///   `inputOutput`.
  public func read<Result>(
    _ body: (borrowing ViewSnapshot<P>) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result {
    let snapshot = try snapshot()
    let file = snapshot.file
    defer { registry.settle(file, registered) }
    return try body(snapshot)
  }

  /// Calls `body` with a snapshot of the rows. `body` may throw errors of its own.
  @_disfavoredOverload
  public func read<Result>(_ body: (borrowing ViewSnapshot<P>) throws -> Result) throws -> Result {
    try read { (snapshot) throws(AnnalsError) -> Swift.Result<Result, any Error> in
      Swift.Result { try body(snapshot) }
    }.get()
  }
}
