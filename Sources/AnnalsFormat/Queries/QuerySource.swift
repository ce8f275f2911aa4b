package import AnnalsCoding

/// A selection of entries as its caller gave it.
package protocol QueryForm: Sendable {
  /// Returns the query for the kinds of a snapshot.
  func stored(_ kinds: KindRegistry) throws(AnnalsError) -> StoredQuery
}

/// The selection of a read, which becomes a ``StoredQuery`` once the kinds of a snapshot are known.
package struct QuerySource: Sendable {
  package let tags: QueryTags
  private let form: any QueryForm

  /// Creates a source.
  ///
  /// - Parameter tags: The tags of all alternatives.
  package init(_ tags: QueryTags, _ form: any QueryForm) {
    self.tags = tags
    self.form = form
  }

  /// Returns the query for the kinds of a snapshot.
  package func resolve(_ kinds: KindRegistry) throws(AnnalsError) -> StoredQuery { try form.stored(kinds) }
}
