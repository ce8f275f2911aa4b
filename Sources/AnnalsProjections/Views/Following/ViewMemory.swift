import Synchronization

/// The memory for rows that the views of this process keep between batches, or have changed in one.
///
/// The sizes are those of encoded rows and keys, about the memory that they take.
enum ViewMemory {
  /// The most bytes of all views together. A view that exceeds it stores its batch, and keeps no rows.
  static let limit = 64 << 20

  private static let used = Atomic(0)

  /// Changes the number of bytes in use.
  ///
  /// - Returns: Whether the views have no more than the limit.
  static func change(by count: Int) -> Bool {
    used.add(count, ordering: .relaxed).newValue <= limit
  }
}
