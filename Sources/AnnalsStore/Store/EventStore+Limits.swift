public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema

// Closing and truncating streams.
//
// Each throws `superseded` as well, once a newer version than the plan's is activated: a pass of its plan may
// have given the name of the stream to other events. With a plan that moves streams, each throws
// `requiresPass` while they have not been moved.
extension EventStore {
  /// Closes `stream`, which then takes no more events until it is reopened. See
  /// ``EventLog/close(_:by:because:)``.
  @discardableResult
  public func close(
    _ stream: StreamName, by author: String = "", because reason: String = ""
  ) async throws(AnnalsError) -> Position? {
    try await change(.close(stream), author, reason)
  }

  /// Reopens `stream`, which then takes events again. See ``EventLog/reopen(_:by:because:)``.
  @discardableResult
  public func reopen(
    _ stream: StreamName, by author: String = "", because reason: String = ""
  ) async throws(AnnalsError) -> Position? {
    try await change(.reopen(stream), author, reason)
  }

  /// Hides the events of `stream` before `revision`, or all of its events. See
  /// ``EventLog/truncate(_:before:by:because:)``.
  @discardableResult
  public func truncate(
    _ stream: StreamName, before revision: Revision? = nil, by author: String = "",
    because reason: String = ""
  ) async throws(AnnalsError) -> Position? {
    try await change(.truncate([(stream, revision)]), author, reason)
  }

  private func change(
    _ limit: LimitChange, _ author: String, _ reason: String
  ) async throws(AnnalsError) -> Position? {
    try beginning?.run()
    var change = LogChange(.limit(limit), author: author, reason: reason)
    change.plan = Plan.Current.version
    return try await log.change(change)
  }
}
