internal import AnnalsCoding
internal import AnnalsSchema

/// Which keys of a file a query is of, as whole keys.
struct RowBounds {
  /// Where the keys stand.
  let place: RowPlace
  /// The lowest that a key can be, and what every key comes before.
  let lower, upper: [UInt8]
  /// What names the view, its version and the query in a page's token.
  let scope: UInt32

  /// - Parameters:
  ///   - prefix: What every key of the projection begins with.
  ///   - token: Where an earlier page ended.
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
      // Whoever has the token may have changed it: it narrows the query and leads nowhere else.
      // The key with a zero behind it is the lowest that comes behind it.
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

  /// Whether a whole key is within them.
  func contains(_ key: Span<UInt8>) -> Bool {
    !key.precedes(lower.span) && key.precedes(upper.span)
  }
}

/// Where the keys of a query stand.
struct RowPlace: Equatable {
  /// The number of the space.
  let space: UInt8
  /// Whether what stands there leads to rows, and is none itself.
  let isSecondary: Bool
}

extension ProjectionOutline {
  /// Where the keys of a query stand.
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
