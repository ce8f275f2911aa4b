internal import AnnalsSchema
internal import AnnalsShapes

/// A rule that converts rows of an earlier version of a projection to the current one.
///
/// Several rules may name one older type, for instance to split its rows into two tables. Each of them
/// receives every row, in the order of ``Projection/upcasts``. Of two rows with the same key, the later one
/// stays.
///
/// ```swift
/// static var upcasts: [RowUpcast] {
///   [RowUpcast(from: 1, FileTreeV1.File.self) { old in [File(path: old.path, blob: old.blob, size: 0)] }]
/// }
/// ```
public struct RowUpcast: Sendable {
  /// The version of the projection whose rows the rule converts.
  let version: Int
  /// The older and the newer row type, without static types.
  let from, to: ObjectIdentifier
  /// The name of the older row type on disk.
  let name: String
  let shape: StoredShape?
  /// Decodes a stored row and puts the rows it becomes.
  let run: @Sendable (Span<UInt8>, inout ProjectionRows) throws -> Void

  /// Creates a rule for the rows of one type.
  ///
  /// - Parameters:
  ///   - version: The version of the projection that stored the older rows. Its other tables are kept if the
  ///     current version has a table of the same name and shape. If a table is neither kept nor named in a
  ///     rule, the projection is rebuilt from the log.
  ///   - old: The older row type, unchanged.
  ///   - rule: Converts a row, using nothing else. An empty result drops the row.
  public init<Old: ProjectionRow, New: ProjectionRow>(
    from version: Int, _ old: Old.Type, _ rule: @escaping @Sendable (Old) throws -> [New]
  ) {
    self.version = version
    from = ObjectIdentifier(old)
    to = ObjectIdentifier(New.self)
    name = Old.recordName
    shape = Old.recordShape.map { StoredShape($0) }
    run = { payload, rows in
      for row in try rule(Old.decode(payload: payload)) { try rows.put(row) }
    }
  }
}
