package import AnnalsCoding

/// The end of a stream: the part of its head that a decision needs.
package struct StreamEnd: Equatable, Sendable {
  /// The position of the stream's first entry.
  package var id: Position
  /// The revision of the newest entry.
  package var revision: Revision
  /// The position of the newest entry.
  package var last: Position
  /// The revision of the newest entry with an id that a caller gave.
  package var newestID: Revision?

  package init(id: Position, revision: Revision, last: Position, newestID: Revision? = nil) {
    self.id = id
    self.revision = revision
    self.last = last
    self.newestID = newestID
  }
}
