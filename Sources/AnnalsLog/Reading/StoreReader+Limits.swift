package import AnnalsCoding
package import AnnalsFormat
internal import LMDB

extension StoreReader {
  /// Whether programs must know a feature to use the store.
  package func requires(_ feature: StoreMeta.Requirement) throws(AnnalsError) -> Bool {
    let found = try row(StoreMeta.Name.requires.rawValue, in: tables.meta) {
      (bytes) throws(FormatFailure) in try StoreMeta.requirements(bytes)
    }
    return found?.contains(feature) ?? false
  }

  /// What can be read and written of the stream whose first entry is at `id`.
  ///
  /// - Complexity: One look-up.
  package func limit(of id: Position) throws(AnnalsError) -> StreamLimit {
    try row(StreamLimit.name(id), in: tables.meta) { (bytes) throws(FormatFailure) in
      try StreamLimit(bytes)
    } ?? StreamLimit()
  }

  /// Calls `body` with the limit of each stream that has one, in the order of their ids, until it returns
  /// `false`.
  ///
  /// - Parameter last: The stream after which it begins; `nil` for the first one.
  package func eachLimit(
    after last: Position? = nil, _ body: (Position, StreamLimit) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) {
    let prefix = Array(StreamLimit.prefix.utf8)
    let start = last.map { Array(StreamLimit.name($0).utf8) } ?? prefix
    var cursor: Cursor
    do { cursor = try view.cursor(in: tables.meta) } catch { throw AnnalsError(error) }
    var found: LMDB.Row?
    do { found = try cursor.seek(start.span) } catch { throw AnnalsError(error) }
    while let row = found {
      let key = row.key.copied
      guard key.starts(with: prefix) else { return }
      if key != start {
        let name = String(decoding: key, as: UTF8.self)
        let limit = try Self.open(row.value, key: key.span, name: "key '\(name)'", in: tables.meta) {
          (bytes) throws(FormatFailure) in
          guard StreamLimit.id(inName: name) != nil else { throw FormatFailure(.value, at: 0) }
          return try StreamLimit(bytes)
        }
        if let id = StreamLimit.id(inName: name), try !body(id, limit) { return }
      }
      found = try cursor.nextRow()
    }
  }
}
