package import AnnalsCoding
internal import AnnalsFormat

/// A selection of entries, which becomes a ``StoredQuery`` once the kinds of a snapshot are known.
package struct QuerySource: Sendable {
  /// A tag of an alternative.
  struct Tag: Sendable {
    let tag: EventTag
    let hash: StreamHash
    /// Whether it is the last one of its alternative.
    fileprivate(set) var isLast = false
  }

  /// The tags of all alternatives, those of one after those of another. In one list, because a conditional
  /// append makes one for each call.
  private(set) var tags: [Tag] = []
  /// Whether an alternative selects entries without regard to their tags.
  private(set) var hasUntagged = false
  /// Returns the query for the kinds of a snapshot.
  package let resolve: @Sendable (KindRegistry) throws(AnnalsError) -> StoredQuery

  /// Creates a source without alternatives.
  ///
  /// - Parameter resolve: Returns the query for the kinds of a snapshot.
  package init(_ resolve: @escaping @Sendable (KindRegistry) throws(AnnalsError) -> StoredQuery) {
    self.resolve = resolve
  }

  /// Adds an alternative.
  ///
  /// - Parameter tags: The tags that an entry must have, all of them.
  package mutating func add(_ tags: Set<EventTag>) { add(all: tags) }

  /// Adds an alternative.
  ///
  /// - Parameter tags: The tags that an entry must have, all of them.
  package mutating func add(_ tags: [EventTag]) { add(all: tags) }

  /// Generic here alone, where it is specialised.
  @inline(__always)
  private mutating func add(all tags: some Collection<EventTag>) {
    if tags.isEmpty {
      hasUntagged = true
      return
    }
    self.tags.reserveCapacity(self.tags.count + tags.count)
    for tag in tags { self.tags.append(Tag(tag: tag, hash: StreamHash(tag.text.utf8.span))) }
    self.tags[self.tags.count - 1].isLast = true
  }

  /// Throws `.invalidName` for a tag that no event can have.
  package func check() throws(AnnalsError) {
    for place in tags { try place.tag.check() }
  }
}
