package import AnnalsCoding

extension EntrySource {
  /// The entries of the log between two positions.
  ///
  /// - Parameters:
  ///   - after: The position that the read begins after, in its direction.
  ///   - start: The position to begin at, unless `after` leads further.
  ///   - end: The position to end at.
  package init(
    after: Position?, from start: Position?, through end: Position?, streamPrefix prefix: String?,
    backwards: Bool
  ) {
    let next = after.map { after in
      Position(backwards ? max(after.rawValue, 1) - 1 : min(after.rawValue, .max - 1) + 1)
    }
    self = .log(from: Self.further(next, start, backwards: backwards), through: end, prefix: prefix)
  }

  /// The entries of a stream between two revisions; `nil` if there can be none.
  ///
  /// - Parameters:
  ///   - after: The revision that the read begins after, in its direction.
  ///   - start: The revision to begin at, unless `after` leads further.
  ///   - end: The revision to end at.
  package init?(
    in stream: StreamName, after: Revision?, from start: Revision?, through end: Revision?, backwards: Bool
  ) {
    if backwards, after == 0 { return nil }
    let next = after.map { after in
      Revision(backwards ? after.rawValue - 1 : min(after.rawValue, .max - 1) + 1)
    }
    self = .stream(stream, from: Self.further(next, start, backwards: backwards), through: end)
  }

  /// The later of two places to begin at, in the direction of the read.
  private static func further<Place: Comparable>(
    _ first: Place?, _ second: Place?, backwards: Bool
  ) -> Place? {
    guard let first, let second else { return first ?? second }
    return backwards ? min(first, second) : max(first, second)
  }
}
