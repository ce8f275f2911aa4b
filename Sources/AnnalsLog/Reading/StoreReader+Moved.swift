package import AnnalsCoding
package import AnnalsFormat
internal import LMDB

extension StoreReader {
  /// Where entries of the stream called `name` went; `nil` if none did.
  package func moved(_ name: StreamName) throws(AnnalsError) -> MovedRow? {
    try row(MovedRow.name(name), in: tables.meta) { (bytes) throws(FormatFailure) in try MovedRow(bytes) }
  }

  /// The maximum number of names that are followed.
  private static let hops = 256

  /// Returns the streams that now hold entries of the stream called `name`, as far as rows show. A name that
  /// has no row in `streams`, and has itself moved, is followed.
  func movedStreams(from name: StreamName) throws(AnnalsError) -> [StreamName] {
    var found: [StreamName] = []
    var met: Set<StreamName> = [name]
    var next = try moved(name)?.streams ?? []
    var hops = 0
    while !next.isEmpty, hops < Self.hops {
      let stream = next.removeFirst()
      hops += 1
      guard met.insert(stream).inserted else { continue }
      if try storedID(of: stream) == nil, let row = try moved(stream) {
        next += row.streams
      } else {
        found.append(stream)
      }
    }
    return found
  }

  /// The stream that the entries of a stream came from, according to the last pass that moved any there;
  /// `nil` if none did.
  package func origin(of stream: StreamName) throws(AnnalsError) -> OriginRow? {
    try row(OriginRow.name(stream), in: tables.meta) { (bytes) throws(FormatFailure) in try OriginRow(bytes) }
  }

  /// The position up to which a stream may hold entries of several streams; `nil` if all are of one.
  package func mergedUpTo(_ stream: StreamName) throws(AnnalsError) -> Position? {
    guard try origin(of: stream)?.isMerged == true else { return nil }
    return try regrouped() ?? Position(.max)
  }

  /// The position up to which the last pass that moved entries may have done so; `nil` if none did.
  package func regrouped() throws(AnnalsError) -> Position? {
    try row(RegroupedRow.name, in: tables.meta) { (bytes) throws(FormatFailure) in
      try RegroupedRow.position(bytes)
    }
  }

  /// Whether entries of any stream went to another one.
  func hasMoved() throws(AnnalsError) -> Bool {
    var isFound = false
    try eachMoved(after: nil) { (_, _) in
      isFound = true
      return false
    }
    return isFound
  }

  /// Calls `body` with each row that says where a stream went, in order, until it returns `false`.
  ///
  /// - Parameter last: The key after which the rows begin.
  func eachMoved(
    after last: [UInt8]?, _ body: (String, [UInt8]) -> Bool
  ) throws(AnnalsError) {
    try eachFact(MovedRow.prefix, after: last, body)
  }

  /// Calls `body` with each row of `meta` about a stream whose name begins with `text`, in order, until it
  /// returns `false`.
  ///
  /// - Parameters:
  ///   - text: ``MovedRow/prefix`` or ``OriginRow/prefix``.
  ///   - last: The key after which the rows begin.
  package func eachFact(
    _ text: String, after last: [UInt8]?, _ body: (String, [UInt8]) -> Bool
  ) throws(AnnalsError) {
    let prefix = Array(text.utf8)
    var cursor: Cursor
    do { cursor = try view.cursor(in: tables.meta) } catch { throw AnnalsError(error) }
    let start = last ?? prefix
    var found: LMDB.Row?
    do { found = try cursor.seek(start.span) } catch { throw AnnalsError(error) }
    while let row = found {
      let key = row.key.copied
      guard key.starts(with: prefix) else { return }
      if key != last {
        let name = String(decoding: key, as: UTF8.self)
        let value = try Self.open(row.value, key: key.span, name: "key '\(name)'", in: tables.meta) {
          (bytes) throws(FormatFailure) in
          if text == OriginRow.prefix { _ = try OriginRow(bytes) } else { _ = try MovedRow(bytes) }
          return bytes.copied
        }
        guard body(name, value) else { return }
      }
      found = try cursor.nextRow()
    }
  }
}
