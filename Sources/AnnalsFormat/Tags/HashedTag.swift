package import AnnalsCoding

/// A tag of an event, and the hash by which it is looked up.
package struct HashedTag: Sendable {
  package let tag: EventTag
  package let hash: StreamHash

  package init(_ tag: EventTag) {
    self.tag = tag
    hash = StreamHash(tag.text.utf8.span)
  }
}
