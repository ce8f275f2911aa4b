/// A receiver of values about the work of a store, for metrics, logs and traces.
///
/// Set one as ``StoreOptions/observer``. Each method has an empty default implementation, so an observer
/// implements only those that it needs. The store calls them on the thread that did the work, several at the
/// same time. They must be quick, and must not use the store.
///
/// No value contains a payload.
public protocol StoreObserver: Sendable {
  /// Called after a commit of appends by this process.
  func committed(_ activity: CommitActivity)
  /// Called after a page of entries was read.
  func read(_ activity: ReadActivity)
  /// Called after a page with entries that passed a stage.
  func upcast(_ activity: UpcastActivity)
  /// Called after a migration pass has switched the store to another generation.
  func passed(_ activity: PassActivity)
  /// Called after a view has stored a batch of rows in this process.
  func followed(_ activity: ViewActivity)
  /// Called before a decision or a handler is tried again.
  func retried(_ activity: RetryActivity)
  /// Called when a reader skips an entry that cannot be read, as `StoreOptions.unreadable` permits.
  func quarantined(_ entry: QuarantinedEntry)
  /// Called after a consumer has set an entry apart.
  func deadLettered(_ activity: DeadLetterActivity)
}

extension StoreObserver {
  /// Does nothing.
  public func committed(_ activity: CommitActivity) {}
  /// Does nothing.
  public func read(_ activity: ReadActivity) {}
  /// Does nothing.
  public func upcast(_ activity: UpcastActivity) {}
  /// Does nothing.
  public func passed(_ activity: PassActivity) {}
  /// Does nothing.
  public func followed(_ activity: ViewActivity) {}
  /// Does nothing.
  public func retried(_ activity: RetryActivity) {}
  /// Does nothing.
  public func quarantined(_ entry: QuarantinedEntry) {}
  /// Does nothing.
  public func deadLettered(_ activity: DeadLetterActivity) {}
}
