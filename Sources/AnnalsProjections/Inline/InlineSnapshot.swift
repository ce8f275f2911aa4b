public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
public import AnnalsStore
internal import LMDB

/// The rows of an inline projection in a snapshot of the store. They agree with the events of the same
/// snapshot.
public struct InlineSnapshot<P: InlineProjection>: ~Copyable, ~Escapable {
  let source: RowSource
  let outline: ProjectionOutline
  private let folded: UInt64

  @_lifetime(copy source)
  init(_ source: RowSource, _ outline: ProjectionOutline, folded: UInt64) {
    self.source = source
    self.outline = outline
    self.folded = folded
  }

  /// The position of the last folded entry, which is the newest one; `nil` in an empty log.
  public var position: Position? { folded == 0 ? nil : Position(folded) }

  /// Returns the row with a key; `nil` if there is none.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a type that is not a table of the projection,
  ///   `damaged` or `inputOutput`.
  /// - Complexity: One look-up.
  public func get<R: ProjectionRow>(_ type: R.Type, _ key: R.Key) throws(AnnalsError) -> R? {
    let space = try outline.space(of: type)
    var whole = RowKeyBytes()
    whole.bytes = source.prefix
    whole.append(space)
    key.encode(into: &whole)
    let bytes = whole.bytes
    guard bytes.count - source.prefix.count <= RowStaging.keyLimit,
      let stored = try source.value(of: bytes.span)
    else { return nil }
    return try source.decode(stored)
  }
}

extension StoreSnapshot {
  /// Returns the rows of an inline projection.
  ///
  /// - Throws: ``AnnalsError`` with code `requiresActivation` if the projection is not in force, or no
  ///   program has opened the store with it for writing since a pass or a repair left its rows unfolded;
  ///   `superseded` if a newer version of it is in force; `damaged` or `inputOutput`.
  /// - Complexity: O(inline projections).
  @_lifetime(borrow self)
  public func inline<P: InlineProjection<Event>>(_ projection: P.Type) throws(AnnalsError) -> InlineSnapshot<
    P
  > {
    let outline = try ProjectionOutline(projection)
    let rows = try reader.ruleRows().filter {
      $0.isInForce && ExactText($0.name) == ExactText(outline.name)
    }
    guard let row = rows.first(where: { $0.version == outline.version }), let table = generation.inline else {
      if let newer = rows.first(where: { $0.version > outline.version }) {
        throw AnnalsError(
          .superseded,
          "version \(newer.version) of the inline projection '\(outline.name)' is in force, and this program has version \(outline.version): use a newer one"
        )
      }
      throw AnnalsError(
        .requiresActivation,
        "version \(outline.version) of the inline projection '\(outline.name)' is not in force: run 'activate' with it, or open the store once with 'activating'"
      )
    }
    guard row.text == outline.text else { throw AnnalsError(changedTablesOf: outline) }
    let last = try reader.last()
    guard row.folded == last else { throw AnnalsError(incompleteRowsOf: outline) }
    return InlineSnapshot(
      RowSource(reader.view, table, prefix: row.keyPrefix, name: outline.name), outline, folded: row.folded)
  }
}

extension AnnalsError {
  /// Creates the error for a projection in force whose rows do not include the newest entries.
  init(incompleteRowsOf outline: ProjectionOutline) {
    self.init(
      .requiresActivation,
      """
      the inline projection '\(outline.name)' has not been folded again since the store was repaired, \
      its streams were moved, events were erased, or keys were dropped: open the store for writing with it; \
      if it does not accept an event, open the store with a higher version that does, and activate it
      """
    )
  }
}
