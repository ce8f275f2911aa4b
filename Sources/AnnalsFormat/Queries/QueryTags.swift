package import AnnalsCoding

/// The tags of all alternatives of a query, with the hashes by which their heads are looked up.
///
/// They are in one list, those of one alternative after those of another, because a conditional append makes
/// one for each call.
package struct QueryTags: Sendable {
  /// A tag of an alternative.
  package struct Tag: Sendable {
    package let tag: EventTag
    package let hash: StreamHash
    /// Whether it is the last one of its alternative.
    package fileprivate(set) var isLast = false
  }

  package private(set) var list: [Tag] = []
  /// Whether an alternative selects entries without regard to their tags.
  package private(set) var hasUntagged = false

  /// Creates the tags of a query without alternatives.
  package init() {}

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
    list.reserveCapacity(list.count + tags.count)
    for tag in tags { list.append(Tag(tag: tag, hash: StreamHash(tag.text.utf8.span))) }
    list[list.count - 1].isLast = true
  }

  /// Throws `.invalidName` for a tag that no event can have.
  package func check() throws(AnnalsError) {
    for place in list { try place.tag.check() }
  }
}
