/// The end of a snapshot of the store.
package struct SnapshotEnd: Sendable {
  /// The position up to which its rows of `heads` are complete.
  package var checkpoint: UInt64
  /// Its newest entry.
  package var last: UInt64

  package init(checkpoint: UInt64, last: UInt64) {
    self.checkpoint = checkpoint
    self.last = last
  }
}
