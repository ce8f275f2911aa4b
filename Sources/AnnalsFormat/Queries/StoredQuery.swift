package import AnnalsCoding

/// A selection of entries by kind and tag.
package struct StoredQuery: Sendable {
  /// One alternative.
  package struct Item: Sendable {
    /// The kinds; `nil` for all.
    package let kinds: WantedKinds?
    /// The tags that an entry must have, all of them.
    package let tags: [EventTag]
    /// What decides on entries that have their original type; `nil` if that of the entry as it is decides.
    fileprivate let shared: SharedQuery.Item?

    package init(kinds: WantedKinds?, tags: [EventTag], shared: SharedQuery.Item? = nil) {
      self.kinds = kinds
      self.tags = tags
      self.shared = shared
    }
  }

  /// The alternatives that any entry can match.
  package let items: [Item]
  private let index: ItemIndex
  /// Whether only entries with an original type can match.
  package var hasNoKind: Bool {
    items.allSatisfy { $0.kinds.map { !$0.isWanted.contains(true) } ?? false }
  }
  /// Whether original types are compared.
  private var isShared: Bool { items.first?.shared != nil }

  /// Creates a query. Alternatives whose kinds the store does not have are left out.
  package init(_ items: [Item]) {
    let items = items.filter { $0.shared != nil || $0.kinds?.isWanted.contains(true) ?? true }
    self.items = items
    index = ItemIndex(items.count) { items[$0].tags }
  }

  /// Whether every entry that matches has a tag that the query names, so that the chains of these tags lead
  /// to all of them.
  package var isByTags: Bool { items.allSatisfy { !$0.tags.isEmpty } }

  /// Whether there is one alternative, of one tag.
  package var isByOneTag: Bool { items.count == 1 && items[0].tags.count == 1 }

  /// Whether an entry with a header may match, as far as its kind says.
  package func mayInclude(_ header: EntryHeader) -> Bool {
    if header.flags.contains(.stub) { return false }
    return header.kind == 0 || items.contains { $0.kinds?.include(header.kind) ?? true }
  }

  /// Whether an entry matches. An entry with parts matches if any part is of a kind that is wanted.
  package func includes(_ entry: borrowing LentEntry) throws(AnnalsError) -> Bool {
    let original = isShared ? try entry.originalType : nil
    if original == nil, entry.header.flags.contains(.stub) { return false }
    guard index.isUsed else {
      for item in items {
        if try includes(entry, original, item) { return true }
      }
      return false
    }
    for number in index.candidates(for: try entry.tags) {
      if try includes(entry, original, items[number]) { return true }
    }
    return false
  }

  private func includes(
    _ entry: borrowing LentEntry, _ original: OriginalType?, _ item: Item
  ) throws(AnnalsError) -> Bool {
    if let original, let shared = item.shared {
      guard shared.includes(original) else { return false }
    } else if let kinds = item.kinds {
      if entry.kind != 0 {
        guard kinds.include(entry.kind) else { return false }
      } else {
        var isWanted = false
        try entry.eachPart { (kind, _, _) throws(AnnalsError) in
          if kinds.include(kind) { isWanted = true }
        }
        guard isWanted else { return false }
      }
    }
    if item.tags.isEmpty { return true }
    return try entry.hasAll(item.tags)
  }
}
