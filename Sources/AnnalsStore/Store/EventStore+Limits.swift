public import AnnalsCoding
internal import AnnalsLog

// Closing and truncating streams.
extension EventStore {
  /// Closes `stream`, which then takes no more events until it is reopened. See
  /// ``EventLog/close(_:by:because:)``.
  @discardableResult
  public func close(
    _ stream: StreamName, by author: String = "", because reason: String = ""
  ) async throws(AnnalsError) -> Position? {
    try await log.close(stream, by: author, because: reason)
  }

  /// Reopens `stream`, which then takes events again. See ``EventLog/reopen(_:by:because:)``.
  @discardableResult
  public func reopen(
    _ stream: StreamName, by author: String = "", because reason: String = ""
  ) async throws(AnnalsError) -> Position? {
    try await log.reopen(stream, by: author, because: reason)
  }

  /// Hides the events of `stream` before `revision`, or all of its events. See
  /// ``EventLog/truncate(_:before:by:because:)``.
  @discardableResult
  public func truncate(
    _ stream: StreamName, before revision: Revision? = nil, by author: String = "",
    because reason: String = ""
  ) async throws(AnnalsError) -> Position? {
    try await log.truncate(stream, before: revision, by: author, because: reason)
  }
}
