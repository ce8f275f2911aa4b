internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema

/// The bounds of a query as whole keys of a file.
struct RowBounds {
  /// The place of the keys.
  let place: RowPlace
  /// The lowest possible key, and an upper bound that every key comes before.
  let lower, upper: [UInt8]
  /// The checksum in a page's token that identifies the view, its version and the query.
  let scope: UInt32

  /// Computes the bounds of a query.
  ///
  /// - Parameters:
  ///   - prefix: The prefix of every key of the projection.
  ///   - token: The place where an earlier page ended.
  init<Row>(
    _ query: RowQuery<Row>, _ outline: ProjectionOutline, prefix: [UInt8] = [], after token: PageToken? = nil
  ) throws(AnnalsError) {
    place = try outline.place(of: query)
    scope = PagePlace.scope(query, name: outline.name, version: outline.version)
    let start = prefix + [place.space]
    var (lower, upper) = (query.lower.floor(in: start), query.upper.floor(in: start))
    if let token {
      guard let page = PagePlace(token), page.scope == scope else {
        throw AnnalsError(
          .malformed,
          "the view '\(outline.name)': the page token is not one of this query of version \(outline.version); begin again without one"
        )
      }
      // The token may have been altered. It can only narrow the query, never widen it. The key followed by a
      // zero is the lowest key after it.
      let edge = start + page.key + (query.isDescending ? [] : [0])
      if query.isDescending {
        if edge.span.precedes(upper.span) { upper = edge }
      } else if lower.span.precedes(edge.span) {
        lower = edge
      }
    }
    self.lower = lower
    self.upper = upper
  }

  /// Whether a whole key is within the bounds.
  func contains(_ key: Span<UInt8>) -> Bool {
    !key.precedes(lower.span) && key.precedes(upper.span)
  }
}

/// The place of a query's keys.
struct RowPlace: Equatable {
  /// The number of the space.
  let space: UInt8
  /// Whether the keys are entries that lead to rows, not rows.
  let isSecondary: Bool
}

extension ProjectionOutline {
  /// Returns the place of a query's keys.
  func place<R>(of query: RowQuery<R>) throws(AnnalsError) -> RowPlace {
    let space = try space(of: R.self)
    guard let name = query.key else { return RowPlace(space: space, isSecondary: false) }
    guard let table = table(of: ObjectIdentifier(R.self)),
      let index = tables[table].keys.firstIndex(where: { ExactText($0.name) == ExactText(name) })
    else {
      throw AnnalsError(
        .wrongUse, "rows of '\(R.recordName)' have no key called '\(name)': name it in 'secondaryKeys'")
    }
    return RowPlace(space: space + UInt8(index + 1), isSecondary: true)
  }
}
