public import AnnalsCoding
internal import LMDB

/// The rows of an inline projection in a snapshot of the store, lent with it: they agree with the events of the same snapshot.
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

  /// Up to which entry the projection is folded, which is the newest one but where programs have appended that do not know the projection; `nil` before the first.
  public var position: Position? { folded == 0 ? nil : Position(folded) }

  /// The row of a key; `nil` where there is none.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a type that is no table of the projection, `damaged` or `inputOutput`.
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
  /// The rows of an inline projection.
  ///
  /// - Throws: ``AnnalsError`` with code `requiresActivation` where no program has opened the store with the projection for writing, or since a pass or a repair that left its rows
  ///   unfolded, `superseded` where a newer version of it is in force, `damaged` or `inputOutput`.
  /// - Complexity: O(inline projections).
  @_lifetime(borrow self)
  public func inline<P: InlineProjection<Event>>(_ projection: P.Type) throws(AnnalsError) -> InlineSnapshot<
    P
  > {
    let outline = try ProjectionOutline(projection)
    let rows = try reader.inlineRows().filter {
      $0.state == .live && ExactText($0.name) == ExactText(outline.name)
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
        "version \(outline.version) of the inline projection '\(outline.name)' is not in force: open the store for writing with it"
      )
    }
    guard row.text == outline.text else { throw AnnalsError(changedTablesOf: outline) }
    let last = try reader.last()
    // What programs without it leave unfolded stands behind what was folded once; where nothing is, the rows were not taken over.
    guard row.isMandatory ? row.folded == last : row.folded > 0 || last == 0 else {
      throw AnnalsError(
        .requiresActivation,
        "the inline projection '\(outline.name)' has not been folded anew since the store was repaired, its streams were moved, or a program without it ran a pass: open the store for writing with it"
      )
    }
    return InlineSnapshot(
      RowSource(reader.view, table, prefix: row.keyPrefix, name: outline.name), outline, folded: row.folded)
  }
}

extension Generation {
  /// The table of rows of inline projections, if the file has it and it is open.
  var inline: Table? { environment.later(StoreTables.inline.name) }

  /// Opens the table of rows of inline projections, if the file has it: another process may have made it.
  func openInline() throws(AnnalsError) {
    _ = try storage { () throws(EnvironmentError) in try environment.open(later: StoreTables.inline) }
  }
}
