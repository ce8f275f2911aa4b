package import AnnalsCoding
internal import AnnalsFormat

/// A selection of entries by kind and tag.
package struct StoredQuery: Sendable {
  /// One alternative.
  package struct Item: Sendable {
    /// The kinds; `nil` for all.
    let kinds: WantedKinds?
    /// The tags that an entry must have, all of them.
    let tags: [EventTag]

    package init(kinds: WantedKinds?, tags: [EventTag]) {
      self.kinds = kinds
      self.tags = tags
    }
  }

  /// The alternatives that any entry can match.
  let items: [Item]
  private let index: ItemIndex

  /// Creates a query. Alternatives whose kinds the store does not have are left out.
  package init(_ items: [Item]) {
    let items = items.filter { $0.kinds?.isWanted.contains(true) ?? true }
    self.items = items
    index = ItemIndex(items.count) { items[$0].tags }
  }

  /// Whether every entry that matches has a tag that the query names, so that the chains of these tags lead
  /// to all of them.
  var isByTags: Bool { items.allSatisfy { !$0.tags.isEmpty } }

  /// Whether there is one alternative, of one tag.
  var isByOneTag: Bool { items.count == 1 && items[0].tags.count == 1 }

  /// Whether an entry with a header may match, as far as its kind says.
  func mayInclude(_ header: EntryHeader) -> Bool {
    if header.flags.contains(.stub) { return false }
    return header.kind == 0 || items.contains { $0.kinds?.include(header.kind) ?? true }
  }

  /// Whether an entry matches. An entry with parts matches if any part is of a kind that is wanted.
  package func includes(_ entry: borrowing LentEntry) throws(AnnalsError) -> Bool {
    let header = entry.header
    if header.flags.contains(.stub) { return false }
    guard index.isUsed else {
      for item in items {
        if try includes(entry, item) { return true }
      }
      return false
    }
    for number in index.candidates(for: try entry.tags) {
      if try includes(entry, items[number]) { return true }
    }
    return false
  }

  private func includes(_ entry: borrowing LentEntry, _ item: Item) throws(AnnalsError) -> Bool {
    if let kinds = item.kinds {
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

extension LentEntry {
  /// Whether the entry has all of these tags, which are in the order of their bytes.
  package func hasAll(_ tags: [EventTag]) throws(AnnalsError) -> Bool {
    guard header.flags.contains(.extensions) else { return tags.isEmpty }
    var next = 0
    let bytes = bytes
    do throws(FormatFailure) {
      try header.eachTag(in: bytes, at: position) { stored in
        if next < tags.count, bytes.extracting(stored.text).isEqual(to: tags[next].text.utf8.span) {
          next += 1
        }
        return next < tags.count
      }
    } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    return next == tags.count
  }

  /// The tags of the entry, in the order of their bytes.
  package var tags: [EventTag] {
    get throws(AnnalsError) {
      guard header.flags.contains(.extensions) else { return [] }
      do { return try header.tags(in: bytes, at: position) } catch {
        throw AnnalsError(error, place: "position \(position)", position: position)
      }
    }
  }
}

extension WantedKinds {
  /// Creates a selection of kinds.
  ///
  /// - Parameters:
  ///   - last: The number of the newest kind; `nil` if there is none.
  ///   - isWanted: Whether entries of a kind are read.
  package init(count last: UInt32?, _ isWanted: (UInt32) -> Bool) {
    // Never empty, which would mean all.
    self.init(isWanted: (0...(last ?? 0)).map(isWanted))
  }
}
