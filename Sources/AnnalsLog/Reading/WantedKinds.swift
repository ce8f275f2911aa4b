/// The kinds of stored entries that are read: all, or those that can become certain events.
package struct WantedKinds: Sendable {
  /// By the number of a kind, whether its entries are read; empty for all.
  package var isWanted: [Bool] = []

  package init(isWanted: [Bool] = []) {
    self.isWanted = isWanted
  }

  /// Whether entries of a kind are read.
  package func include(_ kind: UInt32) -> Bool {
    isWanted.isEmpty || Int(kind) >= isWanted.count || isWanted[Int(kind)]
  }

  /// Whether an entry is read. Only the parts of an entry say of which kinds they are.
  package func include(_ entry: borrowing LentEntry) -> Bool {
    isWanted.isEmpty || entry.kind == 0 || include(entry.kind)
  }
}
