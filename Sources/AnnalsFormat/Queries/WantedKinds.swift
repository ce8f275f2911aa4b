/// The kinds of stored entries that are read: all, or those that can become certain events.
@usableFromInline package struct WantedKinds: Sendable {
  /// By the number of a kind, whether its entries are read; empty for all.
  @usableFromInline package var isWanted: [Bool] = []

  package init(isWanted: [Bool] = []) {
    self.isWanted = isWanted
  }

  /// Creates a selection of kinds.
  ///
  /// - Parameters:
  ///   - last: The number of the newest kind; `nil` if there is none.
  ///   - isWanted: Whether entries of a kind are read.
  package init(count last: UInt32?, _ isWanted: (UInt32) -> Bool) {
    // Never empty, which would mean all.
    self.init(isWanted: (0...(last ?? 0)).map(isWanted))
  }

  /// Whether entries of a kind are read.
  @inlinable package func include(_ kind: UInt32) -> Bool {
    isWanted.isEmpty || Int(kind) >= isWanted.count || isWanted[Int(kind)]
  }

  /// Whether an entry is read. Only the parts of an entry say of which kinds they are.
  @inlinable package func include(_ entry: borrowing LentEntry) -> Bool {
    isWanted.isEmpty || entry.kind == 0 || include(entry.kind)
  }
}
