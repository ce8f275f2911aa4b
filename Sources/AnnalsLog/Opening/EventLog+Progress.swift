extension EventLog {
  /// The progress of a long operation.
  public struct Progress: Sendable {
    /// The number of entries that are done.
    public let done: UInt64
    /// The total number of entries.
    public let total: UInt64

    package init(done: UInt64, total: UInt64) {
      self.done = done
      self.total = total
    }
  }
}
