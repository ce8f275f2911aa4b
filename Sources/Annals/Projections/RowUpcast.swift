internal import AnnalsSchema

/// How rows of an earlier version of a projection become rows of the current one.
///
/// ```swift
/// static var upcasts: [RowUpcast] {
///   [RowUpcast(from: 1, FileTreeV1.File.self) { old in [File(path: old.path, blob: old.blob, size: 0)] }]
/// }
/// ```
public struct RowUpcast: Sendable {
  /// The version of the projection whose rows it takes.
  let version: Int
  /// What it takes and what it gives, without types.
  let from, to: ObjectIdentifier
  /// The name of the older row type on disk, and its shape.
  let name: String
  let shape: StoredShape?
  /// Reads a row as it is stored, and puts what becomes of it.
  let run: @Sendable (Span<UInt8>, inout ProjectionRows) throws -> Void

  /// A rule for the rows of one type.
  ///
  /// - Parameters:
  ///   - version: The version of the projection that has the older rows. Its other tables are carried where the current version has a table of the same name with a
  ///     shape that theirs can be read as; where one is neither carried nor named in a rule, the projection is rebuilt from the log.
  ///   - old: The older row type, as it was.
  ///   - rule: What becomes of a row, from nothing but the row; of none of them where it returns nothing.
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
