package import AnnalsCoding

/// The part of a head that the tail knows, for a stream that began before the tail.
package struct PartialHead: Sendable {
  package var id: Position
  package var revision: Revision
  package var last: Position
  /// The positions of the newest multiples of 4, 16, …; 0 for those before the tail.
  package var levels: [UInt64]
  /// The revision of the newest entry with an id plus one; `nil` if none is in the tail.
  package var newestID: UInt64?

  /// Returns the head, completed from the stream's row for the time before the tail.
  package func head(with row: Head) -> Head {
    Head(
      id: id, revision: revision, last: last,
      levels: levels.enumerated().map { index, position in
        position == 0 ? row.newest(atLevel: index + 1) : Position(position)
      },
      newestID: newestID.map { $0 == 0 ? nil : Revision($0 - 1) } ?? row.newestID)
  }
}
