package import AnnalsCoding
internal import AnnalsFormat

/// A selection of entries, which becomes a ``StoredQuery`` once the kinds of a snapshot are known.
package struct QuerySource: Sendable {
  /// The tags of each alternative.
  let alternatives: [[EventTag]]
  /// Returns the query for the kinds of a snapshot.
  package let resolve: @Sendable (KindRegistry) throws(AnnalsError) -> StoredQuery

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - tags: The tags of each alternative.
  ///   - resolve: Returns the query for the kinds of a snapshot.
  package init(
    tags: [[EventTag]], _ resolve: @escaping @Sendable (KindRegistry) throws(AnnalsError) -> StoredQuery
  ) {
    alternatives = tags
    self.resolve = resolve
  }

  /// The tags in it.
  var tags: [EventTag] { alternatives.flatMap(\.self) }

  /// Throws `.invalidName` for a tag that no event can have.
  package func check() throws(AnnalsError) {
    for tag in tags { try tag.check() }
  }
}

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

  /// Creates a query. Alternatives whose kinds the store does not have are left out.
  package init(_ items: [Item]) {
    self.items = items.filter { $0.kinds?.isWanted.contains(true) ?? true }
  }

  /// Whether every entry that matches has a tag that the query names, so that the chains of these tags lead
  /// to all of them.
  var isByTags: Bool { items.allSatisfy { !$0.tags.isEmpty } }

  /// Whether an entry matches. An entry with parts matches if any part is of a kind that is wanted.
  package func includes(_ entry: borrowing LentEntry) throws(AnnalsError) -> Bool {
    let header = entry.header
    if header.flags.contains(.stub) { return false }
    for item in items {
      if try includes(entry, item) { return true }
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
